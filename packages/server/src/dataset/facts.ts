/** Reads runs and formats them as rows of `submissions.parquet`, `code.parquet` and the corpus. */
import {
  EXTENSIONS,
  languageOf,
  type AuthorKind,
  type FailureClass,
  type Language,
  type Licence,
  type Mode,
  type RunState,
  type Validation,
  type Verdict,
} from "@kernelbot/core";
import type { Row } from "@kernelbot/dataset";
import type { Client } from "../db/client.ts";
import type { RankedColumns } from "../db/ranked-columns.ts";
import { batches } from "../db/cursor.ts";
import type { Pseudonyms } from "./pseudonyms.ts";

const BATCH = 500;

/** A selected run. Times of day are microseconds since 1970. */
export interface Fact extends RankedColumns {
  noisy: boolean;
  submission_id: number;
  run_id: number;
  rerun: number;
  competition: string;
  problem_id: number;
  problem: string;
  problem_version: string;
  target: string;
  account_id: string;
  account_name: string;
  anonymous: boolean;
  author_kind: AuthorKind;
  model: string | null;
  licence: Licence;
  mode: Mode;
  file_name: string;
  code_sha256: string;
  code_bytes: number;
  first_of_code: boolean;
  submitted_at: number;
  started_at: number | null;
  finished_at: number | null;
  attempts: number;
  state: RunState;
  verdict: Verdict | null;
  failure_class: FailureClass | null;
  time_ns: number | null;
  time_low_ns: number | null;
  time_high_ns: number | null;
  speedup: number | null;
  speedup_low: number | null;
  speedup_high: number | null;
  successful: boolean;
  gives_score: boolean;
  deduplicated: boolean;
  device: string | null;
  tester_version: string | null;
  unsandboxed: boolean;
  in_use: Validation | null;
}

/**
 * SQL that counts how often a run `r` was rerun on its version of the problem. A run that was carried over to a later
 * version counts as the first run there.
 */
const RERUN = `case when r.rerun = 0 or r.carried_over then 0 else r.rerun - coalesce((
  select max(o.rerun) from run o where o.submission_id = r.submission_id and o.target = r.target and o.carried_over
    and o.problem_version = r.problem_version and o.rerun < r.rerun), 0) end`;

/** Returns the runs of a competition, in the order of the files. */
export function readFacts(client: Client, competition: string): AsyncGenerator<Fact[]> {
  return batches<Fact>(
    client,
    "facts",
    BATCH,
    // Machine descriptions are large, so their fields are extracted once per machine.
    `with judge as materialized (
      select hash, description ->> 'testerVersion' as tester_version,
        coalesce(description -> 'accelerators' -> 0 ->> 'model', description -> 'cpu' ->> 'model') as device
      from machine)
    select t.submission_id, t.run_id, ${RERUN} as rerun, t.competition, p.number as problem_id, t.problem, t.problem_version,
      t.target, t.account_id, a.name as account_name, t.anonymous, s.author_kind, s.model, t.licence, r.mode, s.file_name,
      encode(t.code_hash, 'hex') as code_sha256, t.code_bytes, t.first_of_code,
      ${micros("s.created_at")} as submitted_at, ${micros("r.started_at")} as started_at,
      ${micros("r.finished_at")} as finished_at, r.attempt as attempts, r.state, r.verdict, r.failure_class, r.time_ns,
      r.time_low_ns, r.time_high_ns, r.speedup, r.speedup_low, r.speedup_high,
      r.ranked_by, r.ranked_value, r.ranked_low, r.ranked_high, r.noisy, t.successful, t.deduplicated, b.run_id is not null as gives_score,
      judge.device, judge.tester_version, r.unsandboxed, in_use.validation as in_use
    from snapshot_run t
    join problem p on p.name = t.problem
    join run r on r.id = t.run_id
    join submission s on s.id = t.submission_id
    join account a on a.id = t.account_id
    left join public_board_run b on b.run_id = t.run_id and b.problem = t.problem and b.target = t.target
    left join judge on judge.hash = r.machine_hash
    left join lateral find_application_result(t.code_hash, s.file_name, t.problem_version, t.target) in_use on true
    where t.competition = $1 order by t.place`,
    [competition],
  );
}

/** SQL that converts a timestamp to microseconds since 1970. */
export function micros(moment: string): string {
  return `(extract(epoch from ${moment}) * 1000000)::bigint`;
}

/** Formats a run as a row of `submissions.parquet`, under a pseudonym if the author chose anonymity. */
export function submissionRow(fact: Fact, pseudonyms: Pseudonyms, place: number | null): Row<"submissions"> {
  return {
    ...identityOf(fact, pseudonyms),
    run_id: BigInt(runNumber(fact, pseudonyms)),
    rerun: fact.rerun,
    competition: fact.competition,
    problem_id: BigInt(fact.problem_id),
    problem: fact.problem,
    problem_version: fact.problem_version,
    target: fact.target,
    anonymous: fact.anonymous,
    author_kind: fact.author_kind,
    model: fact.model,
    licence: fact.licence,
    mode: fact.mode,
    code_id: codeId(fact.code_sha256),
    code_sha256: fact.code_sha256,
    code_bytes: fact.code_bytes,
    submitted_at: BigInt(fact.submitted_at),
    started_at: fact.started_at === null ? null : BigInt(fact.started_at),
    finished_at: fact.finished_at === null ? null : BigInt(fact.finished_at),
    attempts: fact.attempts,
    state: fact.state,
    verdict: fact.verdict,
    failure_class: fact.failure_class,
    score_ns: fact.time_ns,
    score_low_ns: fact.time_low_ns,
    score_high_ns: fact.time_high_ns,
    speedup: fact.speedup,
    speedup_low: fact.speedup_low,
    speedup_high: fact.speedup_high,
    ranked_by: fact.ranked_by,
    ranked_value: fact.ranked_value,
    ranked_low: fact.ranked_low,
    ranked_high: fact.ranked_high,
    noisy: fact.noisy,
    place,
    successful: fact.successful,
    gives_score: fact.gives_score,
    deduplicated: fact.deduplicated,
    device: fact.device,
    tester_version: fact.tester_version,
    unsandboxed: fact.unsandboxed,
    in_use: fact.in_use?.state ?? null,
    in_use_held: fact.in_use?.held ?? null,
    in_use_cases: fact.in_use?.cases.length ?? null,
    in_use_speedup: fact.in_use?.speedup?.value ?? null,
  };
}

/** Formats a run as a row of the corpus, with its source. */
export function corpusRow(fact: Fact, pseudonyms: Pseudonyms, code: Uint8Array): Row<"corpus"> {
  return {
    ...identityOf(fact, pseudonyms),
    leaderboard_id: BigInt(fact.problem_id),
    problem_name: fact.problem,
    code_id: codeId(fact.code_sha256),
    submission_time: BigInt(fact.submitted_at),
    status: statusOf(fact),
    score: fact.time_ns === null ? null : fact.time_ns / 1e9,
    passed: passedOf(fact),
    mode: fact.mode === "ranked" ? "leaderboard" : fact.mode,
    runner: fact.target,
    code,
  };
}

export function codeRow(fact: Fact, code: Uint8Array): Row<"code"> {
  return {
    code_sha256: fact.code_sha256,
    code_id: codeId(fact.code_sha256),
    code_bytes: fact.code_bytes,
    language: LANGUAGE_WORDS[languageOf(fact.file_name) ?? "py"],
    code,
  };
}

const LANGUAGE_WORDS: Record<Language, string> = { py: "python", cpp: "cpp", cu: "cuda" };

function identityOf(fact: Fact, pseudonyms: Pseudonyms) {
  const { submission_id, account_id, account_name, file_name } = fact;
  if (!fact.anonymous) {
    return { submission_id: BigInt(submission_id), user_id: account_id, user_name: account_name, file_name };
  }
  const user = pseudonyms.user(account_id);
  return {
    submission_id: BigInt(pseudonyms.number("submission", submission_id)),
    user_id: user,
    user_name: user,
    // A file name can identify its author.
    file_name: `submission${EXTENSIONS[languageOf(file_name) ?? "py"][0]}`,
  };
}

export function runNumber({ run_id, anonymous }: Pick<Fact, "run_id" | "anonymous">, pseudonyms: Pseudonyms): number {
  return anonymous ? pseudonyms.number("run", run_id) : run_id;
}

/** Returns the first 63 bits of a hash, which fit a signed 64-bit integer. */
function codeId(sha256: string): bigint {
  return BigInt(`0x${sha256.slice(0, 16)}`) >> 1n;
}

function statusOf({ state, verdict }: Fact): string {
  if (state === "cancelled") return "cancelled";
  return verdict === "passed" ? "succeeded" : "failed";
}

/** Returns null when nothing was judged, or the run is quarantined. */
function passedOf({ verdict }: Fact): boolean | null {
  if (verdict === "passed") return true;
  return verdict === "failed" ? false : null;
}
