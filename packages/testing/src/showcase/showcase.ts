/**
 * Fills a server with realistic data for viewing and testing pages: three months of accounts, kernels and verdicts up
 * to `now`, created by production functions. Deterministic except for values that depend on the time.
 */
import { sql } from "kysely";
import { Readable } from "node:stream";
import { putArtifact } from "@kernelbot/server/src/artifacts/artifacts.ts";
import { storeFingerprints } from "@kernelbot/server/src/moderation/similar.ts";
import { createInviteLink } from "@kernelbot/server/src/competitions/invite-links.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { sendEmailLink } from "@kernelbot/server/src/auth/email/links.ts";
import type { Mailer } from "@kernelbot/server/src/auth/email/mailer.ts";
import { createSignInLink } from "@kernelbot/server/src/auth/sign-in-links.ts";
import { signReceipt } from "@kernelbot/server/src/runs/receipts.ts";
import { recordCanary } from "@kernelbot/server/src/runners/canary.ts";
import { markRunnerDisconnected, joinQuery, type JoinedRunner } from "@kernelbot/server/src/runners/join.ts";
import { DEFAULT_POLICY } from "@kernelbot/server/src/runners/policy.ts";
import { SHOWCASES } from "@kernelbot/features/showcase.ts";
import { CLOSED, endAutumn, ENDED, openCompetitions, RUNNING, UPCOMING } from "./competitions.ts";
import type { FeatureValues } from "./example.ts";
import { history, type Act } from "./history.ts";
import { cast, withShippedProblems, type Cast, type DiscordResources } from "./server.ts";
import { confirmed, entryOf, moderated, type Moderated } from "./moderation.ts";
import { kernelbench, type KernelbenchShown } from "./kernelbench.ts";
import { createSnapshot, type DataShown } from "./data.ts";
import { launches } from "./launches.ts";
import { STATIONS } from "./machines.ts";
import { submitAct, play, claimNext, reportEvents, verdictOf, type Stage } from "./perform.ts";
import { PARTICIPANTS, STAFF, type Participant } from "./people.ts";
import { solution, version } from "./sources.ts";
import { profileTrace } from "./trace.ts";
import { withTranscript } from "./transcript.ts";
import { webhooks } from "./webhooks.ts";

export interface Showcase {
  cast: Cast;
  competitions: { running: string; ended: string; closed: string; upcoming: string };
  /** Submissions in each state. */
  submissions: Moderated &
    Record<keyof ReturnType<typeof singular> | "queued" | "running" | "profile" | "best" | "second", number>;
  /** Secret of a sign-in link for the newcomer. */
  link: string;
  /** Secret of a link that was sent to an e-mail address without an account. */
  emailLink: string;
  /** Secret of an invite link of the closed competition. */
  inviteLink: string;
  /** Values of the pages of optional features. */
  features: FeatureValues;
  /** Run of the submission in this state. */
  runs: { quarantined: number; reported: number };
  /** Decision with a pending appeal. */
  appeal: number;
  /** Webhook of the participant with many deliveries. */
  webhook: number;
  /** Runner that the server has paused because its times have drifted. */
  runner: number;
  kernelbench: KernelbenchShown;
  data: DataShown;
}

const MINUTE_MS = 60_000;

/** Accepts every mail and sends none. */
export const SHOWCASE_MAILER: Mailer = {
  domains: ["example.edu", "example.org"],
  send: () => Promise.resolve(),
  close: () => undefined,
};

export async function fillShowcase(resources: DiscordResources, now = new Date()): Promise<Showcase> {
  const specs = await withShippedProblems(resources.database);
  const stage: Stage = { ...resources, specs, cast: await cast(resources.database) };
  await openCompetitions(stage, now);
  const past = history(now);
  const ids = await play(stage, past);
  await endAutumn(stage, now);
  await confirmed(stage, new Map(ids.map((id, at) => [id, past[at] as Act])), now);
  const { appeal, ...moderation } = await moderated(stage, now);
  const singles = singular(now);
  const single = await play(stage, Object.values(singles));
  const shown = Object.fromEntries(Object.keys(singles).map((key, at) => [key, single[at]])) as Record<
    keyof typeof singles,
    number
  >;
  await withTranscript(stage, shown.benchmarked, singles.benchmarked.at);
  const webhook = await webhooks(stage, now);
  const models = await kernelbench(stage, now);
  const open = await present(stage, now);
  await askingForWork(stage);
  await launches(stage, now);
  const runner = await drifted(stage, now);
  await resignReceipts(stage);
  await backdateAccounts(stage, now);
  const [best = 0, second = 0] = await leaders(stage);
  return {
    cast: stage.cast,
    competitions: { running: RUNNING, ended: ENDED, closed: CLOSED, upcoming: UPCOMING },
    link: (
      await createSignInLink(resources.database, stage.cast.administrator, {
        name: STAFF.newcomer.name,
        create: false,
        hours: 24,
      })
    ).secret,
    emailLink: await emailLink(resources.database),
    inviteLink: (
      await createInviteLink(resources.database, stage.cast.administrator, CLOSED, { maxUses: 40, days: 14 })
    ).secret,
    features: await fillFeatures(stage, now),
    runs: {
      quarantined: await entryOf(resources.database, moderation.quarantined),
      reported: await entryOf(resources.database, moderation.reported),
    },
    appeal,
    webhook,
    runner,
    kernelbench: models,
    data: await createSnapshot(stage),
    submissions: { ...moderation, ...shown, ...open, best, second },
  };
}

async function fillFeatures(stage: Stage, now: Date): Promise<FeatureValues> {
  const values: Record<string, string> = {};
  for (const { fill } of SHOWCASES) Object.assign(values, await fill(stage, now));
  return values;
}

async function emailLink(database: Database): Promise<string> {
  let token = "";
  const mailer: Mailer = {
    ...SHOWCASE_MAILER,
    send: ({ text }) => Promise.resolve(void (token = /token=([\w-]+)/.exec(text)?.[1] ?? "")),
  };
  const request = { email: "jana.novak@example.edu", accountId: null, next: "/", client: "203.0.113.7" };
  await sendEmailLink(database, mailer, { ...request, origin: "https://kernels.example.org" });
  return token;
}

/** One submission for each possible outcome, within the last day. */
function singular(now: Date) {
  const base = (minutes: number, change: Partial<Act> = {}, request: Partial<Act["request"]> = {}): Act => ({
    who: PARTICIPANTS.find((one) => one.name === "jvermeer") as Participant,
    at: new Date(now.getTime() - minutes * MINUTE_MS),
    outcome: "passed",
    efficiency: 0.62,
    request: {
      board: "vectoradd",
      targets: ["H100"],
      mode: "ranked",
      ...version("vectoradd", "H100", 2, minutes),
      author: "human",
      ...request,
    },
    ...change,
  });
  return {
    wrong: base(1300, { outcome: "wrong_result" }),
    compileError: base(
      1200,
      { outcome: "compile_error" },
      { targets: ["cpu"], ...solution("vectoradd", "fast_avx.cpp") },
    ),
    crash: base(1100, { outcome: "crash" }, { mode: "test" }),
    timeout: base(1000, { outcome: "timeout" }),
    outOfMemory: base(900, { outcome: "out_of_memory" }),
    broken: base(800, { outcome: "rejected" }),
    infra: base(700, { outcome: "infra" }),
    tested: base(600, {}, { mode: "test" }),
    benchmarked: base(500, {}, { mode: "benchmark" }),
    duel: base(400, { rivalEfficiency: 0.48 }, { mode: "duel", rival: version("vectoradd", "H100", 1, 4) }),
    several: base(300, {}, { targets: ["H100", "MI300"] }),
  };
}

/** Creates the current activity: queued runs, a running one, and a profile with artifacts. */
async function present(stage: Stage, now: Date): Promise<{ queued: number; running: number; profile: number }> {
  const act = (name: string, request: Partial<Act["request"]>): Act => ({
    who: PARTICIPANTS.find((one) => one.name === name) as Participant,
    at: now,
    outcome: "passed",
    efficiency: 0.7,
    request: {
      board: "grayscale",
      targets: ["H100"],
      mode: "ranked",
      ...version("grayscale", "H100", 3, 9),
      ...request,
    },
  });
  const profiling = act("Sofia Lindqvist", { mode: "profile" });
  const profile = await submitAct(stage, profiling);
  await profiled(stage, profiling);
  const judged = act("Thandiwe Nkosi", { targets: ["H100"] });
  const running = await submitAct(stage, judged);
  // The lease is not renewed, and must last as long as the showcase is viewed.
  const run = await claimNext(stage, "H100", 0, 86_400_000);
  if (run === null) throw new Error("no run is queued for H100");
  const events = verdictOf(stage, run, judged);
  await reportEvents(stage, run, events.slice(0, Math.ceil(0.7 * events.length)));
  for (const name of ["Noor Haddad", "wei.zhang", "Priya Raman"]) {
    await submitAct(stage, act(name, { mode: name === "wei.zhang" ? "benchmark" : "ranked" }));
  }
  await submitAct(
    stage,
    act("Björn Ásgeirsson", { board: "vectoradd", targets: ["cpu"], ...version("vectoradd", "cpu", 1, 3) }),
  );
  const queued = await submitAct(stage, act("jvermeer", {}));
  return { queued, running, profile };
}

async function profiled(stage: Stage, act: Act): Promise<void> {
  const run = await claimNext(stage, "H100");
  const by = stage.cast.runners.get("H100");
  if (run === null || by === undefined) throw new Error("no run is queued for H100");
  const { runId, attempt } = run;
  const files = [
    ["profile.0.txt", "text/plain", "Self CUDA %   kernel\n     91.40 %   step\n      8.60 %   Memset\n"],
    ["profile.0.trace.json.gz", "application/gzip", profileTrace()],
  ] as const;
  const [first, ...others] = verdictOf(stage, run, act);
  const artifacts = [];
  for (const [name, mediaType, content] of files) {
    const upload = { runId, attempt, name, mediaType, bytes: Readable.from([Buffer.from(content)]) };
    artifacts.push(await putArtifact(stage.database, stage.store, by, upload));
  }
  const artifactEvents = artifacts.map((artifact) => ({ ...artifact, type: "artifact", stage: "profile" }) as const);
  await reportEvents(stage, run, [
    first as (typeof others)[number],
    ...others.slice(0, -1),
    ...artifactEvents,
    ...others.slice(-1),
  ]);
}

/** Makes all runners wait for work; the one with the MI300 has disconnected. */
async function askingForWork({ database, cast }: Stage): Promise<void> {
  for (const { target, runner, machine } of STATIONS) {
    const identity = cast.runners.get(target);
    if (identity === undefined) continue;
    const asks = { target, runner, machine, waitMs: 86_400_000 };
    const joined = sql<JoinedRunner>`with ${joinQuery(identity, asks, null)} select id, seen from joined`;
    const { rows } = await joined.execute(database.db);
    if (target === "MI300") await markRunnerDisconnected(database, rows[0] as JoinedRunner);
  }
}

/**
 * Stores canary times of one day for each runner; those of one runner have increased in the last hours.
 * @returns its id.
 */
async function drifted({ database, cast }: Stage, now: Date): Promise<number> {
  const runners = await database.db.selectFrom("runner").select(["id", "name"]).orderBy("id").execute();
  const slow = runners.find(({ name }) => name === "h100-b")?.id ?? 0;
  for (const { target, runner, machine } of STATIONS) {
    const identity = cast.runners.get(target);
    if (identity === undefined) continue;
    for (let hour = 0; hour < 24; hour += 1) {
      const factor = 1 + 0.004 * Math.sin(hour * 7) + (runner === "h100-b" && hour > 20 ? 0.23 : 0);
      const timesNs = [410_000 * factor, 905_000 * (1 + 0.003 * Math.cos(hour * 5))];
      await recordCanary(
        database,
        identity,
        { target, runner, machine, kernel: "canary", timesNs, failure: null },
        DEFAULT_POLICY,
      );
    }
  }
  await sql`update canary set at = ${now.toISOString()}::timestamptz - (select count(*) from canary later
    where later.runner_id = canary.runner_id and later.id > canary.id) * interval '1 hour'`.execute(database.db);
  return slow;
}

/** Signs all receipts again, because they contain times that have been moved. */
async function resignReceipts({ database, signer }: Stage): Promise<void> {
  await database.db.transaction().execute(async (transaction) => {
    const runs = await transaction.deleteFrom("receipt").returning("run_id").execute();
    for (const { run_id } of runs.toSorted((a, b) => a.run_id - b.run_id))
      await signReceipt(transaction, run_id, signer);
  });
}

/** Makes accounts and problems older than their activity, and computes the fingerprints of all sources. */
async function backdateAccounts({ database }: Stage, now: Date): Promise<void> {
  const first = new Date(now.getTime() - 100 * 24 * 60 * MINUTE_MS);
  await sql`update account set created_at = ${first.toISOString()}::timestamptz + make_interval(mins => length(name) * 40)`.execute(
    database.db,
  );
  await database.db.updateTable("problem_version").set({ created_at: first }).execute();
  await database.db.updateTable("problem").set({ updated_at: first }).execute();
  while ((await storeFingerprints(database)) > 0);
}

async function leaders({ database }: Stage): Promise<number[]> {
  const rows = await database.db
    .selectFrom("board_entry")
    .select("submission_id")
    .where("problem", "=", "matmul")
    .where("target", "=", "H100")
    .orderBy("time_ns")
    .limit(2)
    .execute();
  return rows.map((row) => row.submission_id);
}
