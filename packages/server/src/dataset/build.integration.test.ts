import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { beforeEach, expect, inject, test } from "vitest";
import type { CodeVisibility, SnapshotManifest, SubmitRequest } from "@kernelbot/core";
import { openClient } from "../db/client.ts";
import type { Identity } from "../auth/identity.ts";
import { changeCompetition } from "../competitions/change.ts";
import { cancelSubmission } from "../submissions/cancel.ts";
import { licenseSubmission } from "../submissions/licence.ts";
import { ban } from "../moderation/ban.ts";
import { carryOver } from "../moderation/carry-over.ts";
import { removeAny } from "../moderation/remove.ts";
import { rerunSubmission } from "../moderation/rerun.ts";
import { syncProblems } from "../problems/sync.ts";
import { made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import {
  applicationProblemFiles,
  claimed,
  failing,
  legacyProblemFiles,
  passing,
  passingByHarness,
  person,
  problemFiles,
  problemTree,
  ranked,
  reported,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { buildSnapshots } from "./build.ts";
import { buildSnapshot, type BuildRequest } from "./build-snapshot.ts";
import { readSnapshot, requestSnapshot, snapshotFile } from "./snapshots.ts";

useScene();
useOrganiser();

let directory: string;

beforeEach(async () => {
  directory = mkdtempSync(join(inject("scratch"), "datasets-"));
  await made({ problems: ["double"] });
});

/** Submits under a licence and reports a ranked result. Returns the submission id. */
function submitRanked(who: Identity, timeNs: number, change: Partial<SubmitRequest> = {}): Promise<number> {
  return ranked(database, who, box, timeNs, { licence: "MIT", ...change });
}

async function ended(): Promise<void> {
  await database.sql`update competition set ends_at = now() where ends_at > now()`;
}

async function requested(provisional = false): Promise<number> {
  await ended();
  return (await requestSnapshot(database, olga, { competitions: ["spring"], provisional })).id;
}

/** Makes a snapshot after the end of the competition and returns its manifest. */
async function snapshot(provisional = false): Promise<SnapshotManifest> {
  const id = await requested(provisional);
  await buildSnapshots(database, directory, { source: "https://kernels.example.org", build: buildSnapshot });
  const { manifest, message } = await readSnapshot(database, undefined, id);
  if (manifest === null) throw new Error(message ?? "the snapshot is not ready");
  return manifest;
}

type Rows = Record<string, unknown>[];

async function rows({ id }: SnapshotManifest, path: string): Promise<Rows> {
  const { path: onDisk } = await snapshotFile(database, undefined, directory, id, path);
  const bytes = readFileSync(onDisk);
  return parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    compressors: { ZSTD: (input) => new Uint8Array(zstdDecompressSync(input)) },
  });
}

function column(rows: Rows, name: string): unknown[] {
  return rows.map((row) => row[name]);
}

test("a run that was carried over to a later problem version counts as the first run there", async () => {
  const id = await submitRanked(ann, 100);
  const judged = async (timeNs: number) =>
    reported(database, box, await claimed(database, box), passing("ranked", [timeNs, timeNs]));
  await rerunSubmission(database, root, id);
  await judged(101);
  const harder = problemFiles((task) => task.replace("size: 16", "size: 32"));
  await syncProblems(database, problemTree({ "set/double": harder }));
  await carryOver(database, root, { board: "double", target: "cpu", revision: 1, top: null });
  await judged(200);
  await rerunSubmission(database, root, id);
  await judged(201);
  const runs = await rows(await snapshot(), "spring/submissions.parquet");
  const of = (time: number): unknown[] => runs.filter((row) => row["score_ns"] === time).map((row) => row["rerun"]);
  expect([100, 101, 200, 201].map(of)).toEqual([[0], [1], [0], [1]]);
});

test("of the hidden cases of an application, a snapshot has the number only", async () => {
  const hidden = `salt: ${"c0ffee".repeat(6)}\ncases: [{ length: 48611 }]\n`;
  const files = { ...applicationProblemFiles(), "hidden_cases.yml": hidden };
  await syncProblems(database, problemTree({ "set/double": files }));
  const [problem] = await rows(await snapshot(), "problems.parquet");
  expect(problem?.["spec"]).toContain('"hiddenCases":[{"hidden_case":1}]');
  expect(
    JSON.stringify(problem, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value)),
  ).not.toMatch(/(?<!\d)48611(?!\d)|c0ffee/);
});

test("a snapshot of a board that ranks by SOL score has the scores, and places by them", async () => {
  const bounds = problemFiles((task) =>
    task
      .replace("ranking_by: mean", "ranking_by: sol_score")
      .replace("cpu: {}", "cpu: { speed_of_light_us: [0.2, 0.2] }")
      .replace(", H100: {}", ""),
  );
  await syncProblems(database, problemTree({ "set/double": bounds }));
  const judged = async (timesNs: number[]) => {
    await submitted(database, ann, { licence: "MIT", mode: "ranked", targets: ["cpu"] });
    await reported(database, box, await claimed(database, box), passing("ranked", timesNs));
  };
  await judged([900, 900]);
  await judged([210, 5000]);
  const manifest = await snapshot();
  const facts = await rows(manifest, "spring/submissions.parquet");
  expect(column(facts, "place")).toEqual([1, null]);
  expect(column(facts, "deduplicated")).toEqual([true, false]);
  expect(column(facts, "ranked_by")).toEqual(["sol_score", "sol_score"]);
  expect(column(facts, "ranked_value")).toEqual([
    expect.closeTo((800 / 810 + 800 / 5600) / 2, 9),
    expect.closeTo(800 / 1500, 9),
  ]);
  const best = (await rows(manifest, "boards.parquet")).find(({ target }) => target === "cpu");
  expect(best).toMatchObject({
    best_score_ns: facts[0]?.["score_ns"],
    best_ranked_value: facts[0]?.["ranked_value"],
  });
});

test("a snapshot contains no submission from the time when its competition never showed sources", async () => {
  const rule = (codeVisibility: CodeVisibility) =>
    changeCompetition(database, olga, spec({ problems: ["double"], codeVisibility }));
  await rule("never");
  await submitRanked(ann, 100);
  await rule("after_end");
  const later = await submitRanked(bob, 200);
  const facts = await rows(await snapshot(), "spring/submissions.parquet");
  expect(column(facts, "submission_id")).toEqual([BigInt(later)]);
});

test("a snapshot contains licensed results of ended problems, not withheld, removed, banned or unjudged ones", async () => {
  const carl = await person(database, "carl");
  const first = await submitRanked(ann, 100, { source: "a = 1\n" });
  const failed = await submitted(database, ann, { licence: "MIT", mode: "ranked", source: "b = 1\n" });
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  const cancelled = await submitted(database, bob, { licence: "CC0-1.0" });
  await cancelSubmission(database, bob, cancelled);
  await ranked(database, bob, box, 50);
  const removed = await submitRanked(ann, 60);
  await removeAny(database, root, removed, { reason: "copied" });
  await submitRanked(carl, 70);
  await ban(database, root, { account: "carl", reason: "spam" });
  await submitRanked(ann, 80, { board: "triple" });
  await submitted(database, ann, { licence: "MIT" });
  const manifest = await snapshot(true);
  const facts = await rows(manifest, "spring/submissions.parquet");
  expect(column(facts, "submission_id")).toEqual([first, failed, cancelled].map(BigInt));
  expect(column(facts, "state")).toEqual(["done", "done", "cancelled"]);
  // The board has a faster entry, whose author did not choose a licence.
  expect(column(facts, "place")).toEqual([2, null, null]);
  expect(facts[0]).toMatchObject({
    problem: "double",
    target: "cpu",
    user_name: "ann",
    score_ns: 100,
    device: "Fast CPU",
  });
  expect(column(await rows(manifest, "spring/samples.parquet"), "parameters")).toEqual([
    '{"size":8}',
    '{"size":16}',
    '{"size":8}',
    '{"size":16}',
  ]);
  expect(await rows(manifest, "boards.parquet")).toMatchObject([
    { target: "cpu", entries: 2, best_score_ns: 50 },
    { target: "H100", entries: 0, best_score_ns: null },
  ]);
  expect(column(await rows(manifest, "problems.parquet"), "problem")).toEqual(["double"]);
  expect(await rows(manifest, "leaderboards.parquet")).toMatchObject([{ name: "double", gpu_types: ["cpu", "H100"] }]);
  expect(manifest.competitions).toMatchObject([
    { name: "spring", submissions: 3, runs: 3, users: 2, withheld: 1, licences: { MIT: 2, "CC0-1.0": 1 } },
  ]);
  expect(manifest.source).toBe("https://kernels.example.org");
});

test("of a submission that was re-run, the row that the board counts is marked and has the place", async () => {
  const fast = await submitRanked(ann, 100);
  await submitRanked(bob, 105, { source: "b = 1\n" });
  await ended();
  await rerunSubmission(database, root, fast);
  await reported(database, box, await claimed(database, box), passing("ranked", [110, 110]));
  const facts = await rows(await snapshot(), "spring/submissions.parquet");
  const seen = facts.map((row) => [row["user_name"], row["rerun"], row["gives_score"], row["place"]]);
  const [board] = await database.sql<{ accounts: string[] }>`
    select array_agg(a.name order by e.rank_key) as accounts from board_entry e join account a on a.id = e.account_id
    where e.problem = 'double' and e.target = 'cpu'`;
  expect(board?.accounts).toEqual(["bob", "ann"]);
  expect(seen.toSorted((one, other) => String(one).localeCompare(String(other)))).toEqual([
    ["ann", 0, false, null],
    ["ann", 1, true, 2],
    ["bob", 0, true, 1],
  ]);
});

test("a competition with unfinished runs is not exported, and the error counts them", async () => {
  await submitRanked(ann, 200);
  const late = await submitted(database, bob, { licence: "MIT", mode: "ranked", source: "b = 1\n" });
  await ended();
  await submitted(database, ann, { mode: "test", source: "after the end\n" });
  const sentence = "spring has 1 unfinished run, which may change its boards; wait until they have finished";
  await expect(requested()).rejects.toThrow(sentence);
  await reported(database, box, await claimed(database, box), passing("ranked", [100, 100]));
  const manifest = await snapshot();
  expect(manifest).toMatchObject({ provisional: false, competitions: [{ unfinished: 0 }] });
  expect((await rows(manifest, "spring/submissions.parquet"))[0]).toMatchObject({
    submission_id: BigInt(late),
    place: 1,
  });
});

test("a run that is requested before the build fails the snapshot with that error", async () => {
  const id = await submitRanked(ann, 200);
  const requestedId = await requested();
  await rerunSubmission(database, root, id);
  await buildSnapshots(database, directory, { build: buildSnapshot });
  const { state, message } = await readSnapshot(database, olga, requestedId);
  expect([state, message]).toEqual(["failed", expect.stringContaining("spring has 1 unfinished run")]);
});

test("a provisional snapshot lists what it lacks and is never `latest`", async () => {
  const id = await submitRanked(ann, 200);
  const whole = await snapshot(true);
  expect(whole.provisional).toBe(false);
  await rerunSubmission(database, root, id);
  const manifest = await snapshot(true);
  expect(manifest).toMatchObject({ provisional: true, competitions: [{ runs: 1, unfinished: 1 }] });
  expect(await readSnapshot(database, undefined, manifest.id)).toMatchObject({ state: "ready", provisional: true });
  expect(await readSnapshot(database, undefined, "latest")).toMatchObject({ id: whole.id, provisional: false });
  for (const name of ["README.md", "skills.md"]) {
    const { path } = await snapshotFile(database, undefined, directory, manifest.id, name);
    expect(readFileSync(path, "utf8")).toMatch(/provisional/i);
  }
});

test("times from a problem's own harness are exported, and missing ones are null", async () => {
  await syncProblems(database, problemTree({ "set/double": legacyProblemFiles() }));
  await submitted(database, ann, { licence: "MIT", mode: "ranked" });
  const events = passingByHarness([null, 300], 1).map((event) =>
    event.type === "case_finished" && event.summary !== null
      ? { ...event, summary: { ...event.summary, bestNs: null } }
      : event,
  );
  await reported(database, box, await claimed(database, box), events);
  const timed = (await rows(await snapshot(), "spring/samples.parquet")).filter(({ stage }) => stage === "ranked");
  expect(timed).toMatchObject([
    { status: "skipped", candidate_ns: [], harness_runs: null, harness_mean_ns: null },
    {
      status: "passed",
      candidate_ns: [],
      harness_runs: 9n,
      harness_mean_ns: 300,
      harness_std_ns: 3,
      harness_err_ns: 1,
      harness_best_ns: null,
      harness_worst_ns: 300,
    },
  ]);
});

test("the corpus is deduplicated per user, source and board, and contains each source once", async () => {
  const slow = await submitRanked(ann, 200, { source: "same\n" });
  const fast = await submitRanked(ann, 100, { source: "same\n" });
  const other = await submitRanked(ann, 100, { source: "same\n", targets: ["H100"] });
  const bobs = await submitRanked(bob, 300, { source: "same\n" });
  const tried = await submitted(database, bob, { licence: "MIT", source: "tried\n" });
  await reported(database, box, await claimed(database, box), failing("crash"));
  const again = await submitted(database, bob, { licence: "MIT", source: "tried\n" });
  await reported(database, box, await claimed(database, box), failing("crash"));
  const manifest = await snapshot();
  const part = async (name: string) =>
    column(await rows(manifest, `spring/corpus/${name}.parquet`), "submission_id")
      .map(Number)
      .toSorted((a, b) => a - b);
  expect(await part("deduplicated_successful")).toEqual([fast, other, bobs]);
  expect(await part("repeated_successful")).toEqual([slow]);
  expect(await part("deduplicated_other")).toEqual([tried]);
  expect(await part("repeated_other")).toEqual([again]);
  expect(column(await rows(manifest, "spring/code.parquet"), "code")).toEqual(["same\n", "tried\n"]);
  const [row] = await rows(manifest, "spring/corpus/deduplicated_other.parquet");
  expect(row).toMatchObject({
    status: "failed",
    score: null,
    passed: false,
    mode: "test",
    runner: "cpu",
    code: "tried\n",
  });
});

test("anonymous authors cannot be identified in any file, and their rows still join", async () => {
  const zoe = await person(database, "zoe-of-elsewhere");
  await database.sql`update account set anonymous = true where id = ${zoe.account.id}`;
  const hidden = await submitRanked(zoe, 100, { fileName: "zoes_attempt.py", source: "zoe = 1\n" });
  const shown = await submitRanked(bob, 200);
  const alsoHidden = await submitRanked(bob, 300, { source: "b = 2\n", fileName: "bobs_second.py" });
  await database.sql`update submission set anonymous = true where id = ${alsoHidden}`;
  const manifest = await snapshot();
  const facts = await rows(manifest, "spring/submissions.parquet");
  const [zoes, bobs, others] = facts as [Rows[0], Rows[0], Rows[0]];
  expect(column(facts, "anonymous")).toEqual([true, false, true]);
  expect(bobs["submission_id"]).toBe(BigInt(shown));
  expect(zoes["user_name"]).toMatch(/^anon-[0-9a-f]{12}$/);
  expect(others["user_id"]).not.toBe(zoes["user_id"]);
  for (const hiddenRow of [zoes, others]) {
    expect(hiddenRow["submission_id"]).toBeGreaterThan(2n ** 52n);
    expect(hiddenRow["run_id"]).toBeGreaterThan(2n ** 52n);
    expect(hiddenRow["file_name"]).toBe("submission.py");
  }
  let all = "";
  for (const { path } of manifest.files.filter(({ rows }) => rows !== null)) {
    const table = await rows(manifest, path);
    all += JSON.stringify(table, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
    if (path.endsWith("samples.parquet")) expect(column(table, "run_id")).toContain(zoes["run_id"]);
    if (path.endsWith("samples.parquet")) expect(column(table, "submission_id")).not.toContain(BigInt(hidden));
    const { path: onDisk } = await snapshotFile(database, undefined, directory, manifest.id, path);
    all += readFileSync(onDisk, "latin1");
  }
  expect(all).toContain(bob.account.id);
  for (const trace of [zoe.account.id, "zoe-of-elsewhere", "zoes_attempt", "bobs_second"]) {
    expect(all).not.toContain(trace);
  }
  expect(await rows(manifest, "spring/corpus/deduplicated_successful.parquet")).toMatchObject(
    facts.map(({ submission_id, user_id, user_name }) => ({ submission_id, user_id, user_name })),
  );
});

test("published submissions that were removed or banned are listed as withdrawn, under their number", async () => {
  const kept = await submitRanked(ann, 100);
  const removed = await submitRanked(ann, 200, { source: "b = 1\n" });
  const hidden = await submitRanked(bob, 300);
  await database.sql`update submission set anonymous = true where id = ${hidden}`;
  const before = await snapshot();
  expect(before.withdrawn).toEqual([]);
  const anonymous = (await rows(before, "spring/submissions.parquet"))[2]?.["submission_id"];
  await expect(licenseSubmission(database, ann, kept, { licence: null })).rejects.toThrow(
    "so its licence can no longer be changed",
  );
  await removeAny(database, root, removed, { reason: "copied" });
  await ban(database, root, { account: "bob", reason: "spam" });
  const after = await snapshot();
  expect(after.withdrawn).toEqual([removed, Number(anonymous)]);
  expect(column(await rows(after, "spring/submissions.parquet"), "submission_id")).toEqual([BigInt(kept)]);
  // The earlier snapshot is unchanged.
  expect(await rows(before, "spring/submissions.parquet")).toHaveLength(3);
});

/** Blocks the making of a snapshot after the files of competitions are written, until `release`. */
async function heldUp() {
  const client = openClient(database.connection);
  await client.query("begin");
  await client.query("lock table problem_version in access exclusive mode");
  return {
    /** Waits until the snapshot is blocked. */
    async reached(): Promise<void> {
      const waiting = async () => {
        // Other tests have databases of the same server.
        const [row] = await client.query(`select count(*) as held from pg_locks
          where not granted and database = (select oid from pg_database where datname = current_database())`);
        return row?.["held"] as number;
      };
      await expect.poll(waiting).toBe(1);
    },
    async release(): Promise<void> {
      await client.query("commit");
      await client.end(1);
    },
  };
}

test("a stopped build leaves no complete snapshot, and the next server builds it at once", async () => {
  await submitRanked(ann, 100);
  const id = await requested();
  const hold = await heldUp();
  const dying = new AbortController();
  const making = buildSnapshots(database, directory, { signal: dying.signal });
  await hold.reached();
  dying.abort();
  await making;
  expect(readdirSync(directory)).toEqual([expect.stringMatching(/^\.unfinished-/)]);
  expect(await readSnapshot(database, olga, id)).toMatchObject({ state: "building", manifest: null });
  expect(await database.sql`select from dataset_number`).toEqual([]);
  await hold.release();
  await buildSnapshots(database, directory);
  expect((await readSnapshot(database, olga, id)).state).toBe("ready");
  expect(readdirSync(directory)).toEqual([String(id)]);
});

test("a snapshot is leased by one server, and by the next one when the lease expires; the first one then publishes nothing", async () => {
  await submitRanked(ann, 100);
  const id = await requested();
  const built: BuildRequest[] = [];
  const begin = (now: Date) =>
    buildSnapshots(database, directory, {
      clock: () => now,
      // A server that ends without a word: the lease is not released.
      build: (request) => {
        built.push(request);
        return new Promise(() => undefined);
      },
    });
  void begin(new Date());
  await expect.poll(() => built).toHaveLength(1);
  await Promise.all([begin(new Date()), begin(new Date(Date.now() + 50_000))]);
  expect(built).toHaveLength(1);
  const later = new Date(Date.now() + 70_000);
  await buildSnapshots(database, directory, { clock: () => later, build: buildSnapshot });
  const ready = await readSnapshot(database, olga, id);
  expect(ready).toMatchObject({ state: "ready", message: null });
  await expect(buildSnapshot(built[0] as BuildRequest)).rejects.toThrow("another server has taken over snapshot 1");
  expect(await readSnapshot(database, olga, id)).toEqual(ready);
  expect(readdirSync(directory)).toEqual([String(id)]);
});

test("a snapshot is retried with a growing delay while the disk is full, and the reason is shown meanwhile", async () => {
  await submitRanked(ann, 100);
  const id = await requested();
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
  let now = Date.now();
  let tries = 0;
  const build = () => Promise.reject(((tries += 1), full));
  const clock = () => new Date(now);
  await buildSnapshots(database, directory, { clock, build });
  expect(await readSnapshot(database, olga, id)).toMatchObject({
    state: "building",
    message: expect.stringMatching(
      /^the disk of the server is full \(ENOSPC: no space .*\); free space in its data directory; retry at .* UTC$/,
    ) as string,
  });
  await buildSnapshots(database, directory, { clock, build });
  expect(tries).toBe(1);
  now += 60_000;
  await buildSnapshots(database, directory, { clock, build });
  now += 60_000 - 1;
  await buildSnapshots(database, directory, { clock, build });
  expect(tries).toBe(2);
  now += 60_001;
  await buildSnapshots(database, directory, { clock, build: buildSnapshot });
  expect(await readSnapshot(database, olga, id)).toMatchObject({ state: "ready", message: null });
});

test("a temporary error fails a snapshot after 16 tries; another one can be requested", async () => {
  const id = await requested();
  await database.sql`update dataset_snapshot set tries = 15`;
  // A file is in the place of the folder.
  const file = join(directory, "file");
  writeFileSync(file, "");
  await buildSnapshots(database, join(file, "datasets"));
  expect(await readSnapshot(database, olga, id)).toMatchObject({
    state: "failed",
    message: expect.stringMatching(/^ENOTDIR/) as string,
  });
  const again = await requested();
  expect(again).toBe(id + 1);
  await buildSnapshots(database, join(file, "datasets"));
  expect((await readSnapshot(database, olga, again)).state).toBe("building");
});

test("a licence that is withdrawn during the build is respected", async () => {
  const kept = await submitRanked(ann, 100);
  const withdrawn = await submitRanked(bob, 200);
  const id = await requested();
  const hold = await heldUp();
  const making = buildSnapshots(database, directory, { build: buildSnapshot });
  await hold.reached();
  await licenseSubmission(database, bob, withdrawn, { licence: null });
  await hold.release();
  await making;
  const { manifest } = await readSnapshot(database, undefined, id);
  if (manifest === null) throw new Error("the snapshot is not ready");
  expect(column(await rows(manifest, "spring/submissions.parquet"), "submission_id")).toEqual([BigInt(kept)]);
  expect(manifest.competitions).toMatchObject([{ withheld: 1 }]);
});
