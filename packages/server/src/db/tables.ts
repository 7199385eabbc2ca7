/** The tables of `migrations/`, as Kysely sees them. */
import type { ColumnType, Generated, GeneratedAlways, RawBuilder } from "kysely";
import type {
  AnalysisKind,
  Artifact,
  AuthorKind,
  BaselineKind,
  BaselineTime,
  Case,
  Change,
  CodeVisibility,
  FlagCheck,
  DecisionAct,
  EntryFault,
  EntryMetadata,
  FailureClass,
  Happening,
  Level,
  Machine,
  Mismatch,
  Mode,
  Participants,
  Precision,
  ProblemFiles,
  ProblemSpec,
  ProviderName,
  Publication,
  PublicationPlace,
  ReviewFinding,
  Rounds,
  HarnessSummary,
  LaunchState,
  Licence,
  LimitQuantity,
  RunState,
  SideFailure,
  Snapshot,
  SnapshotManifest,
  Stage,
  SuiteInspection,
  SuiteProfile,
  Verdict,
  Visibility,
  WebhookDelivery,
  WebhookEvent,
} from "@kernelbot/core";
import type { Role, Scope } from "./identity.ts";

/** JSON is written by `json` of json.ts and read parsed. */
type Json<T> = ColumnType<T, RawBuilder<T>, RawBuilder<T>>;
type NullableJson<T> = ColumnType<T | null, RawBuilder<T> | null | undefined, RawBuilder<T> | null>;
/** Set by the database unless we say otherwise. */
type DefaultTime = Generated<Date>;

/** A row that one server works on at a time. */
interface Held {
  due_at: DefaultTime;
  held_until: Date | null;
  /** The fencing token of who holds it. */
  holds: Generated<number>;
  tries: Generated<number>;
  error: string | null;
}

export interface Tables {
  account: {
    id: Generated<string>;
    name: string;
    name_skeleton: string | null;
    roles: Generated<Role[]>;
    banned_at: Date | null;
    ban_reason: string | null;
    created_at: DefaultTime;
    licence: Licence | null;
    anonymous: Generated<boolean>;
    weight: Generated<number>;
  };
  token: {
    id: GeneratedAlways<number>;
    account_id: string;
    hash: Buffer;
    label: string;
    scopes: Scope[];
    targets: string[];
    created_at: DefaultTime;
    expires_at: Date | null;
    last_used_at: Date | null;
    revoked_at: Date | null;
    runners: number | null;
    holder: string | null;
  };
  linked_identity: {
    provider: ProviderName;
    subject: string;
    account_id: string;
    label: string;
    created_at: DefaultTime;
    last_used_at: DefaultTime;
  };
  session: {
    id: GeneratedAlways<number>;
    account_id: string;
    hash: Buffer;
    browser: string;
    address: string;
    created_at: DefaultTime;
    last_used_at: DefaultTime;
    expires_at: Date;
  };
  oauth_state: {
    hash: Buffer;
    browser_hash: Buffer;
    provider: ProviderName;
    account_id: string | null;
    next: string;
    expires_at: Date;
  };
  sign_in_link: { hash: Buffer; account_id: string; expires_at: Date };
  device_code: {
    hash: Buffer;
    user_code: string;
    scopes: Scope[];
    address: string;
    created_at: DefaultTime;
    expires_at: Date;
    interval_s: number;
    polled_at: Date | null;
    account_id: string | null;
    denied: Generated<boolean>;
  };
  backup: { id: GeneratedAlways<number>; taken_at: Date };
  throttle: { kind: string; who: string; since: DefaultTime; count: Generated<number> };
  problem_version: {
    hash: string;
    problem: string;
    spec: Json<ProblemSpec>;
    files: Json<ProblemFiles>;
    created_at: DefaultTime;
    legacy_harness: GeneratedAlways<boolean>;
  };
  problem: {
    name: string;
    number: GeneratedAlways<number>;
    set_name: string;
    version: string;
    updated_at: DefaultTime;
    closed_at: Date | null;
    competition: string | null;
    suite: string | null;
    targets: string[] | null;
    ends_at: Date | null;
    source: string | null;
  };
  problem_change: {
    id: GeneratedAlways<number>;
    at: DefaultTime;
    problem: string;
    version: string;
    account_id: string | null;
    source: string | null;
    revision: string | null;
    changes: Json<Change[]>;
  };
  /** One row. */
  intake_gate: { one: Generated<true>; accepts: boolean };
  competition: {
    name: string;
    title: string;
    description: string;
    visibility: Visibility;
    starts_at: Date;
    ends_at: Date;
    code_visibility: CodeVisibility;
    licence: Licence | null;
    team_size: number;
    created_at: DefaultTime;
    targets: string[] | null;
    freeze_at: Date | null;
    reveal_at: Date | null;
    participants: Generated<Participants>;
    told_at: DefaultTime;
  };
  submission_limit: LimitTable;
  account_limit: LimitTable & { account_id: string };
  team: {
    id: GeneratedAlways<number>;
    competition: string;
    name: string;
    name_skeleton: string | null;
    code: string;
    created_at: DefaultTime;
  };
  team_member: {
    team_id: number;
    competition: string;
    account_id: string;
    joined_at: DefaultTime;
    left_at: Date | null;
  };
  competition_organiser: { competition: string; account_id: string };
  competition_member: { competition: string; account_id: string };
  invite: {
    code: string;
    created_by: string;
    created_at: DefaultTime;
    claimed_by: string | null;
    claimed_at: Date | null;
    revoked_at: Date | null;
  };
  invite_competition: { competition: string; code: string };
  wrong_code: { account_id: string; at: DefaultTime };
  problem_window: {
    problem: string;
    opens_at: Date | null;
    closes_at: Date | null;
    targets: string[] | null;
    freezes_at: Date | null;
    reveals_at: Date | null;
    frozen: boolean;
  };
  /** Its secret is read by SQL functions alone. */
  seed_master: { problem: string };
  board: {
    problem: string;
    target: string;
    accepts: boolean;
    created_at: DefaultTime;
    edition: Generated<number>;
    /** Of an insert that says none that of its problem. */
    version: Generated<string>;
  };
  /** Written by a trigger of `board`. */
  board_edition: {
    problem_version: string;
    target: string;
    problem: string;
    edition: number;
    created_at: DefaultTime;
  };
  code: { hash: Buffer; source: string; created_at: DefaultTime; fingerprinted: Generated<boolean> };
  fingerprint: { value: number; size: number; code: Buffer };
  runner: {
    token_id: number;
    target: string;
    name: string;
    machine_hash: Buffer;
    first_seen_at: DefaultTime;
    seen_at: DefaultTime;
    due_at: Date;
    id: GeneratedAlways<number>;
    instance: string | null;
    refused: string | null;
    standing: Generated<"active" | "paused" | "draining">;
    reason: string | null;
    standing_by: string | null;
    standing_at: DefaultTime;
    ended: Generated<number>;
    failed: Generated<number>;
    infra_errors: Generated<number>;
    errors_in_row: Generated<number>;
    errors_of: Generated<string[]>;
    last_error: string | null;
    last_error_at: Date | null;
    canary_due_at: DefaultTime;
    baseline_from: DefaultTime;
    baseline_of: string | null;
    baseline_ns: number[] | null;
    drift: number | null;
  };
  canary: {
    id: GeneratedAlways<number>;
    runner_id: number;
    at: DefaultTime;
    machine_hash: Buffer;
    times_ns: number[] | null;
    failure: string | null;
  };
  launch: {
    id: GeneratedAlways<number>;
    launcher: string;
    target: string;
    name: string;
    state: Generated<LaunchState>;
    token_id: number | null;
    external_id: string | null;
    created_at: Date;
    asked_at: Date | null;
    launched_at: Date | null;
    joined_at: Date | null;
    ended_at: Date | null;
    ends_by: Date;
    rate_per_hour: number;
    failures: Generated<number>;
    retry_at: Date | null;
    error: string | null;
    due_at: Date;
    held_until: Date | null;
  };
  machine: { hash: Buffer; description: Json<Machine> };
  submission: {
    id: GeneratedAlways<number>;
    account_id: string;
    problem: string;
    problem_version: string;
    mode: Mode;
    file_name: string;
    code_hash: Buffer;
    rival_hash: Buffer | null;
    rival_name: string | null;
    idempotency_key: string;
    request_hash: Buffer;
    last_event: Generated<number>;
    created_at: DefaultTime;
    removed_at: Date | null;
    removed_by: string | null;
    removal_reason: string | null;
    author_kind: Generated<AuthorKind>;
    model: string | null;
    licence: Licence | null;
    anonymous: boolean | null;
  };
  run: RunTable;
  stage_result: {
    run_id: number;
    attempt: number;
    stage: Stage;
    passed: boolean | null;
    duration_ns: number | null;
    output: Json<{ head: string; tail: string; droppedBytes: number } | null>;
  };
  case_result: {
    run_id: number;
    attempt: number;
    stage: Stage;
    index: number;
    parameters: Json<Case>;
    status: "passed" | "failed" | "skipped";
    message: string | null;
    mismatch: Json<Mismatch | null>;
    bytes: number | null;
    operations: number | null;
    output_bytes: number | null;
    rounds: Json<Rounds>;
    summary: Json<HarnessSummary> | null;
  };
  event: {
    submission_id: number;
    id: number;
    at: DefaultTime;
    run_id: number | null;
    attempt: number | null;
    event: Json<Happening>;
  };
  /** Rows are never changed. */
  audit: {
    id: GeneratedAlways<number>;
    at: DefaultTime;
    account_id: string;
    act: string;
    subject: string;
    detail: Json<Readonly<Record<string, unknown>>>;
  };
  decision: {
    id: GeneratedAlways<number>;
    at: DefaultTime;
    decided_by: string;
    act: DecisionAct;
    account_id: string;
    submission_id: number | null;
    run_id: number | null;
    reason: string;
    appeal: string | null;
    appealed_at: Date | null;
    answers: number | null;
  };
  flag: {
    id: GeneratedAlways<number>;
    at: DefaultTime;
    run_id: number;
    name: FlagCheck;
    account_id: string | null;
    message: string;
    evidence_run: number | null;
    decision_id: number | null;
  };
  signing_key: { id: string; public_key: string; created_at: DefaultTime };
  receipt: { run_id: number; account_name: string; key_id: string; signature: Buffer };
  artifact: {
    run_id: number;
    attempt: number;
    name: string;
    media_type: Artifact["mediaType"];
    size_bytes: number;
    hash: Buffer;
    created_at: DefaultTime;
    deleted_at: Generated<Date | null>;
  };
  /** Written by SQL alone. */
  fair_share: { target: string; account_id: string; tag: number };
  webhook: {
    id: GeneratedAlways<number>;
    account_id: string;
    url: string;
    events: WebhookEvent[];
    competition: string | null;
    secret: string;
    created_at: DefaultTime;
    paused_at: Date | null;
    pause_reason: string | null;
    last_sequence: Generated<number>;
    failures: Generated<number>;
    tried_at: Date | null;
    rests_until: Date | null;
  };
  webhook_board: {
    webhook_id: number;
    problem: string;
    target: string;
    named: boolean;
    /** Written by SQL alone. */
    told: ColumnType<{ id: string; name: string; rank: number }[] | null, never, never>;
  };
  webhook_outbox: {
    id: GeneratedAlways<number>;
    at: DefaultTime;
    submission_id: number | null;
    problem: string | null;
    target: string | null;
  };
  webhook_delivery: {
    id: Generated<string>;
    webhook_id: number;
    sequence: number;
    event: string;
    problem: string | null;
    body: string;
    created_at: Date;
    state: Generated<WebhookDelivery["state"]>;
    tries: Generated<number>;
    next_try_at: Date | null;
    give_up_at: Date;
    tried_at: Date | null;
    status: number | null;
    answer: string | null;
    error: string | null;
  };
  kernelbench_suite_version: {
    version: string;
    name: string;
    profile: SuiteProfile;
    precision: Precision;
    origin: string;
    targets: string[];
    created_at: DefaultTime;
  };
  kernelbench_suite: { name: string; version: string };
  kernelbench_suite_problem: {
    suite_version: string;
    level: Level;
    problem: number;
    file_name: string;
    board: string;
    problem_version: string;
    inspection: Json<SuiteInspection>;
  };
  kernelbench_entry: {
    id: GeneratedAlways<number>;
    account_id: string;
    suite_version: string;
    target: string;
    metadata: Json<EntryMetadata>;
    compiled_baseline: boolean;
    content_hash: Buffer;
    idempotency_key: string | null;
    created_at: DefaultTime;
    stopped_at: Date | null;
    published_at: Date | null;
  };
  kernelbench_kernel: {
    entry_id: number;
    level: Level;
    problem: number;
    sample: number;
    code_hash: Buffer;
    asked: Generated<number>;
    retried: Generated<boolean>;
    submission_id: number | null;
  };
  kernelbench_result: {
    run_id: number;
    compiled: boolean;
    within_tolerance: boolean;
    time_ns: number | null;
    time_low_ns: number | null;
    time_high_ns: number | null;
    eager_ns: number | null;
    eager_low_ns: number | null;
    eager_high_ns: number | null;
    compiled_ns: number | null;
    compiled_low_ns: number | null;
    compiled_high_ns: number | null;
    eager_speedup: number | null;
    eager_speedup_low: number | null;
    eager_speedup_high: number | null;
    compiled_speedup: number | null;
    compiled_speedup_low: number | null;
    compiled_speedup_high: number | null;
    below_floor: boolean;
    sample_count: number | null;
    sample_mean_ns: number | null;
    sample_std_ns: number | null;
    sample_min_ns: number | null;
    sample_max_ns: number | null;
  };
  kernelbench_baseline: {
    id: string;
    hardware: string;
    kind: BaselineKind;
    times: Json<BaselineTime[]>;
    account_id: string;
    created_at: DefaultTime;
  };
  kernelbench_pull: {
    id: GeneratedAlways<number>;
    repository: string;
    number: number;
    installation_id: number;
    author: string;
    state: Generated<"waiting" | "refused" | "failed" | "evaluating" | "evaluated" | "merged" | "closed">;
    head_sha: string;
    labelled_sha: string | null;
    labelled_by: string | null;
    merge_sha: string | null;
    notice: string | null;
    refusals: NullableJson<{ path: string | null; faults: EntryFault[] }[]>;
    comment_id: number | null;
    comment_hash: string | null;
    status_said: string | null;
    due_at: Date | null;
    held_until: Date | null;
    tries: Generated<number>;
    failing_since: Date | null;
    error: string | null;
    created_at: DefaultTime;
  };
  kernelbench_pull_delivery: {
    id: string;
    pull_id: number;
    sequence: GeneratedAlways<number>;
    /** Read by the flow of pull requests, in a shape of its own. */
    event: Json<unknown>;
    received_at: Date;
    done_at: Date | null;
    error: string | null;
  };
  kernelbench_pull_entry: {
    entry_id: number;
    pull_id: number;
    path: string;
    blob_sha: string;
    head_sha: string;
    is_current: Generated<boolean>;
    is_merged: boolean | null;
  };
  submission_trace: { submission_id: number; traceparent: string };
  /** One row. */
  dataset_secret: { one: Generated<true>; secret: Generated<Buffer> };
  dataset_snapshot: {
    id: GeneratedAlways<number>;
    state: Generated<Snapshot["state"]>;
    competitions: string[];
    requested_by: string | null;
    created_at: DefaultTime;
    finished_at: Date | null;
    rows_done: Generated<number>;
    rows_total: Generated<number>;
    provisional: Generated<boolean>;
    message: string | null;
    manifest: NullableJson<SnapshotManifest>;
    fingerprint: string | null;
    files_deleted_at: Date | null;
  };
  dataset_analysis: { snapshot_id: number; competition: string; finished_at: DefaultTime; message: string | null };
  dataset_table: { snapshot_id: number; competition: string; kind: AnalysisKind; user_id: string; rows: Json<unknown> };
  dataset_number: { number: number; submission_id: number; published_at: DefaultTime };
  dataset_publication: {
    snapshot_id: number;
    place: PublicationPlace;
    state: Generated<Publication["state"]>;
    requested_by: string | null;
    created_at: DefaultTime;
    files_done: Generated<number>;
    files_total: Generated<number>;
    bytes_done: Generated<number>;
    bytes_total: Generated<number>;
    url: string | null;
    message: string | null;
    tries: Generated<number>;
    due_at: Generated<Date | null>;
    held_until: Date | null;
  };
  import: {
    competition: string;
    source: string;
    licence: Licence | null;
    account_id: string;
    created_at: DefaultTime;
  };
  imported_problem: { source: string; number: number; problem: string };
  imported_account: { source: string; user_id: string; account_id: string; discord: boolean };
  imported_run: {
    source: string;
    submission_number: number;
    mode: Mode;
    target: string;
    run_number: number | null;
    time_ns: number | null;
    run_id: number;
  };
  board_revision: { problem: string; target: string; revision: number };
  board_limit: LimitTable & { board: string };
  edition_run: RankedRun & { edition: number; entrant: string; created_at: Date; hidden: boolean; is_current: boolean };
  /** Has a column `edition`, which is asked in SQL: the views of entries are read by one query. */
  edition_entry: RankedRun;
  /** As edition_entry, and has a column `entrant` as well. */
  best_entry: RankedRun;
  counted_run: RankedRun & { entrant: string; created_at: Date; hidden: boolean };
  ranked_run: RankedRun & { entrant: string; created_at: Date };
  counted_entry: RankedRun;
  board_entry: RankedRun;
  discord_app: { id: string; holder: string | null; held_until: Date | null };
  discord_interaction: { id: string; at: DefaultTime };
  discord_guild: { id: string; submissions_channel: string | null; forum_channel: string | null };
  discord_submission: Held & {
    id: GeneratedAlways<number>;
    interaction_id: string;
    guild_id: string | null;
    channel_id: string;
    user_id: string;
    account_id: string;
    token: string | null;
    token_until: Date;
    state: "asking" | "accepting" | "following" | "done" | "refused" | "lost";
    board: string;
    mode: Mode;
    targets: string[];
    file_name: string;
    source: string | null;
    submission_id: number | null;
    last_event: Generated<number>;
    said: string | null;
    place_id: string | null;
    progress_id: string | null;
    reported: Generated<number>;
    created_at: DefaultTime;
    look_at: Date | null;
  };
  discord_message: Held & {
    id: GeneratedAlways<number>;
    channel_id: string;
    content: string;
    created_at: DefaultTime;
    state: Generated<"pending" | "sent" | "failed">;
  };
  discord_board: {
    problem: string;
    target: string;
    revision: number;
    podium: Json<{ id: string; name: string; rank: number }[]>;
  };
  discord_post: Held & {
    id: GeneratedAlways<number>;
    guild_id: string;
    problem: string;
    channel_id: string;
    thread_id: string | null;
    said: string | null;
  };
}

/** Of a competition, of a problem, or of the server where both are null. */
interface LimitTable {
  competition: string | null;
  problem: string | null;
  mode: Mode;
  quantity: LimitQuantity;
  bound: number;
}

/** A run that counts on a board. */
interface RankedRun {
  problem: string;
  target: string;
  problem_version: string;
  account_id: string;
  submission_id: number;
  run_id: number;
  time_ns: number;
  time_low_ns: number;
  time_high_ns: number;
  speedup: number | null;
  speedup_low: number | null;
  speedup_high: number | null;
  unsandboxed: boolean;
  confirmed: boolean;
  entry_run_id: number;
  entry_time_ns: number;
  entry_time_low_ns: number;
  entry_time_high_ns: number;
  team_id: number | null;
  case_times_ns: number[] | null;
  floor_share: number | null;
}

interface RunTable {
  id: GeneratedAlways<number>;
  submission_id: number;
  account_id: string;
  problem_version: string;
  target: string;
  mode: Mode;
  rerun: Generated<number>;
  carried: Generated<boolean>;
  state: Generated<RunState>;
  verdict: Verdict | null;
  failure_class: FailureClass | null;
  message: string | null;
  detail: string | null;
  tag: number | null;
  attempt: Generated<number>;
  token_id: number | null;
  runner: string | null;
  machine_hash: Buffer | null;
  unsandboxed: Generated<boolean>;
  imported: Generated<boolean>;
  lease_until: Date | null;
  reported: Generated<number>;
  stage: Stage | null;
  review: Json<ReviewFinding[] | null>;
  rival_failure: Json<SideFailure | null>;
  seed_commitment: Buffer | null;
  time_ns: number | null;
  time_low_ns: number | null;
  time_high_ns: number | null;
  speedup: number | null;
  speedup_low: number | null;
  speedup_high: number | null;
  case_times_ns: number[] | null;
  floor_share: number | null;
  created_at: DefaultTime;
  started_at: Date | null;
  finished_at: Date | null;
}
