import { sql } from "kysely";
import { expect, test } from "vitest";
import type { ImportBatch, ImportedRow } from "@kernelbot/core";
import { readBoard } from "../../boards/boards.ts";
import { readHistory } from "../../boards/history.ts";
import { readPerson } from "../../people/profile.ts";
import { STRANGER } from "../../auth/visibility.ts";
import { readCompetition } from "../../competitions/competitions.ts";
import { moderationQueue } from "../../moderation/quarantine.ts";
import { confirmTop, rerunSubmission } from "../../moderation/rerun.ts";
import { linkIdentity, signIn } from "../../auth/identities.ts";
import { authenticateSession } from "../../auth/sessions.ts";
import { syncProblems } from "../../problems/sync.ts";
import { readSubmission } from "../../submissions/views.ts";
import { ban } from "../../moderation/ban.ts";
import { acceptRun } from "../../moderation/decide.ts";
import { flagRun } from "../../moderation/flag.ts";
import { sourceRefusal } from "../../submissions/source-access.ts";
import { inHours, made, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { problemFiles, problemTree } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import { importBatch } from "./import.ts";

useScene();
useOrganiser();

const HEAD: ImportBatch["head"] = {
  source: "kernelbot-data",
  competition: "spring",
  title: "Spring kernels",
  startsAt: "2025-03-01T00:00:00Z",
  endsAt: "2025-04-01T00:00:00Z",
  licence: "CC-BY-4.0",
};

function batch(rows: readonly Partial<ImportedRow>[], change: Partial<ImportBatch> = {}): ImportBatch {
  return {
    head: HEAD,
    discordUsers: true,
    problems: [{ number: 496, name: "trimul", description: "Triangles.", reference: "pass\n", targets: ["B200"] }],
    sources: ["import torch\n"],
    rows: rows.map((row, at) => ({ ...ROW, submission: at + 1, ...row })),
    ...change,
  };
}

const ROW: ImportedRow = {
  submission: 1,
  run: null,
  problem: 496,
  userId: "210000000000000001",
  userName: "carla",
  fileName: "kernel.py",
  source: 0,
  mode: "ranked",
  target: "B200",
  submittedAt: "2025-03-02T12:00:00.123456Z",
  startedAt: null,
  finishedAt: null,
  outcome: "passed",
  failureClass: null,
  timeNs: 1000,
};
const DAN = { userId: "210000000000000002", userName: "dan" };
const FAILED = { outcome: "failed", timeNs: null } as const;

const board = async (name = "trimul") => (await readBoard(database, STRANGER, name, "B200")).rows;

const imported = (...parts: Parameters<typeof batch>) => importBatch(database, root, batch(...parts));

test("imported runs appear on the board, in its history and on profile pages", async () => {
  const answer = await imported([
    { timeNs: 3000 },
    { ...DAN, timeNs: 2000, submittedAt: "2025-03-03T00:00:00Z" },
    { timeNs: 1000, submittedAt: "2025-03-04T00:00:00Z" },
    { ...DAN, timeNs: 10, submittedAt: "2025-04-01T00:00:00Z" },
    { ...FAILED, ...DAN, failureClass: "wrong_result", mode: "test" },
  ]);
  expect(answer).toMatchObject({ problems: [{ number: 496, name: "trimul" }], made: 5, accounts: 2 });
  const { rows } = await readBoard(database, STRANGER, "trimul", "B200");
  expect(rows).toMatchObject([
    { rank: 1, account: { name: "carla" }, timeNs: { value: 1000 }, imported: true },
    { rank: 2, account: { name: "dan" }, timeNs: { value: 2000 }, submittedAt: "2025-03-03T00:00:00.000Z" },
  ]);
  const { records } = await readHistory(database, STRANGER, "trimul", "B200", []);
  expect(records.map(({ timeNs }) => timeNs.value)).toEqual([3000, 2000, 1000]);
  const carla = await readPerson(database, STRANGER, rows[0]?.account.id ?? "");
  expect(carla).toMatchObject({ entries: [{ board: "trimul", rank: 1 }] });
  expect(await readSubmission(database, rows[0]?.submissionId ?? 0)).toMatchObject({
    imported: { source: "kernelbot-data", submission: 3 },
    licence: "CC-BY-4.0",
    runs: [{ verdict: "passed", imported: true, finishedAt: null }],
  });
  expect(await readCompetition(database, STRANGER, "spring")).toMatchObject({
    problems: [{ name: "trimul", targets: null, endsAt: null }],
    endsAt: "2025-04-01T00:00:00.000Z",
  });
});

test("a repeated batch changes nothing, and duplicate rows are reported", async () => {
  const rows = [{ run: 7 }, { run: 8, submission: 1 }, { run: 9, submission: 1, target: "H100" }];
  expect(await imported(rows)).toMatchObject({ made: 2, known: 0, repeated: 1, accounts: 1 });
  expect(await imported(rows)).toMatchObject({ made: 0, known: 2, repeated: 1, accounts: 0 });
  expect(await imported([...rows, { submission: 2 }])).toMatchObject({ made: 1, known: 2, repeated: 1 });
  const { rows: shown } = await readBoard(database, STRANGER, "trimul", "B200");
  expect(await readSubmission(database, shown[0]?.submissionId ?? 0)).toMatchObject({ runs: [{}, {}] });
});

test("an implausible time is quarantined; accepting it counts it without a rerun", async () => {
  const rows = [{ timeNs: 4.6e-16 }, { ...DAN, timeNs: 50 }, { userId: "9", userName: "eve", timeNs: 5000 }];
  expect(await imported(rows)).toMatchObject({ made: 3, quarantined: 2 });
  expect(await board()).toMatchObject([{ account: { name: "eve" } }]);
  const { items } = await moderationQueue(database);
  expect(items).toMatchObject([{ flags: [{ check: "speed_of_light" }] }, { flags: [{ check: "speed_of_light" }] }]);
  const sign = await testSigner(database);
  const [dan] = items.filter(({ account }) => account.name === "dan");
  await acceptRun(database, root, dan?.runId ?? 0, { reason: "it is in another unit" }, sign);
  expect(await board()).toMatchObject([{ account: { name: "dan" }, timeNs: { value: 50 } }, {}]);
  // A run that is flagged and accepted again keeps its time.
  const eve = (await board())[1];
  await flagRun(database, root, eve?.runId ?? 0, "odd");
  expect(await board()).toHaveLength(1);
  await acceptRun(database, root, eve?.runId ?? 0, { reason: "not so odd" }, sign);
  expect(await board()).toHaveLength(2);
  expect(await confirmTop(database, 3)).toEqual([]);
  await expect(rerunSubmission(database, root, eve?.submissionId ?? 0)).rejects.toMatchObject({ code: "conflict" });
});

test("imported names are sanitised and unique, and a taken problem name gets its number appended", async () => {
  const names = ["ann", "ad\u200bmin", "\u202eevil", "\u3164", "x".repeat(500), null];
  const rows = names.map((userName, at) => ({ userName, userId: `u${at}`, timeNs: 1000 + at }));
  const problems = [{ number: 496, name: "double", description: "", reference: null, targets: [] }];
  expect((await imported(rows, { problems })).problems).toEqual([{ number: 496, name: "double-496" }]);
  expect((await board("double-496")).map(({ account }) => account.name)).toEqual([
    ...["ann-2", "admin-2", "evil", "participant", "x".repeat(40), "user-u5"],
  ]);
  const folder = problemTree({ "set/double-496": problemFiles() });
  const { broken } = await syncProblems(database, folder);
  expect(broken[0]?.message).toContain("was imported from kernelbot-data");
});

test("rows of a Discord user belong to the account that links it, except during a ban", async () => {
  const vouched = (subject: string) => ({ provider: "discord", subject, name: "discord-user" }) as const;
  const account = { scopes: ["account"] as const };
  const [known, carla, dan, eve] = [1, 2, 3, 4].map((at) => `21000000000000000${at}`) as [
    string,
    string,
    string,
    string,
  ];
  await linkIdentity(database, { ...ann, ...account }, vouched(known));
  const rows = [known, carla, dan, eve].map((userId, at) => ({ userId, userName: "name", timeNs: 1000 + at }));
  expect(await imported(rows)).toMatchObject({ accounts: 3 });
  const before = await board();
  const [annRow, carlaRow, , eveRow] = before;
  expect(annRow?.account.id).toBe(ann.account.id);
  // A first sign-in gets the account that was created for the imported rows; an existing account gets its rows.
  const browser = { address: "192.0.2.1", userAgent: "Browser/1" };
  const signedIn = await authenticateSession(database, await signIn(database, vouched(carla), browser));
  expect(signedIn?.account.id).toBe(carlaRow?.account.id);
  await linkIdentity(database, { ...bob, ...account }, vouched(dan));
  await ban(database, root, { account: eveRow?.account.name ?? "", reason: "copied" });
  await expect(linkIdentity(database, { ...bob, ...account }, vouched(eve))).rejects.toThrow("of a banned account");
  expect((await board()).map(({ account }) => account.name)).toEqual(["ann", carlaRow?.account.name, "bob"]);
  expect(await imported(rows)).toMatchObject({ made: 0, known: 4 });
  expect(await imported([{ ...rows[2], submission: 9, timeNs: 1 + 2000 }])).toMatchObject({ made: 1, accounts: 0 });
});

test("rejects batches that differ from earlier ones, have not ended or are unknown, and callers other than administrators", async () => {
  await imported([{}]);
  const refusal = (change: Partial<ImportBatch>) => imported([{ submission: 77 }], change);
  const head = (change: Partial<ImportBatch["head"]>) => refusal({ head: { ...HEAD, ...change } });
  await expect(head({ title: "Other" })).rejects.toThrow('with title "Spring kernels", not "Other"');
  await expect(head({ endsAt: "2025-05-01T00:00:00Z" })).rejects.toThrow("was imported with to");
  await expect(head({ licence: null })).rejects.toThrow('with licence "CC-BY-4.0", not "none"');
  await expect(head({ competition: "summer" })).rejects.toThrow("already imported as trimul in the competition spring");
  await expect(head({ competition: "later", endsAt: inHours(1) })).rejects.toThrow("only ended competitions");
  const problems = batch([]).problems.map((problem) => ({ ...problem, reference: "other" }));
  await expect(refusal({ problems })).rejects.toThrow("another description");
  await expect(imported([{ problem: 5 }])).rejects.toThrow("problem 5 does not exist");
  await expect(imported([{ source: 3 }])).rejects.toThrow("rows[0].source: out of range; the batch has 1 sources");
  await made({ name: "held" });
  await expect(head({ competition: "held" })).rejects.toThrow("already exists and was not imported");
  await expect(importBatch(database, ann, batch([]))).rejects.toMatchObject({ code: "forbidden" });
  expect(await board()).toHaveLength(1);
});

test("imported sources are public with a licence and hidden without one", async () => {
  await imported([{}]);
  const quiet = { ...HEAD, competition: "quiet", licence: null };
  const problems = [{ number: 5, name: "quiet", description: "", reference: null, targets: [] }];
  await imported([{ problem: 5, submission: 2 }], { head: quiet, problems });
  const refusal = async (name: string) => sourceRefusal(database, STRANGER, (await board(name))[0]?.submissionId ?? 0);
  expect(await refusal("trimul")).toBeNull();
  expect(await refusal("quiet")).toMatchObject({ code: "forbidden" });
});

test("the number of rows that a batch reads does not grow with earlier batches", async () => {
  const reads: number[] = [];
  for (const number of [0, 1, 2, 3]) {
    const before = await rowsRead();
    await imported(
      Array.from({ length: 200 }, (_, at) => {
        const submission = 200 * number + at + 1;
        const user = String(210_000_000_000_000_000n + BigInt(submission));
        return { submission, userId: user, userName: `user ${user}`, timeNs: 1000 + submission };
      }),
    );
    reads.push((await rowsRead()) - before);
  }
  expect(reads[0]).toBeGreaterThan(200);
  expect(reads[3]).toBeLessThan(2 * (reads[0] ?? 0));
});

/** Returns how many rows of all tables the database has read, after flushing the statistics of the last transaction. */
async function rowsRead(): Promise<number> {
  await database.db.transaction().execute((transaction) => sql`select pg_stat_force_next_flush()`.execute(transaction));
  const [row] = await database.sql<{ read: number }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read from pg_stat_user_tables where schemaname = 'public'`;
  return row?.read ?? 0;
}
