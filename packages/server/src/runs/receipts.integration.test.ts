import { createHmac, generateKeyPairSync } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { canonicalJson, checkReceipt, seedCommitment, type SignedReceipt } from "@kernelbot/core";
import { STRANGER } from "../auth/visibility.ts";
import type { Identity } from "../auth/identity.ts";
import { closeProblem } from "../problems/close.ts";
import { syncProblems } from "../problems/sync.ts";
import { testDatabase, type TestDatabase } from "@kernelbot/testing/database.ts";
import {
  claimed,
  failing,
  JUDGE_FAILED,
  legacyProblemFiles,
  passing,
  passingByHarness,
  person,
  problemFiles,
  problemTree,
  reported,
  runner,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import { readReceipt } from "./receipts.ts";
import { report } from "./report.ts";
import { listKeys, openSigner } from "./signer.ts";
import { readEvents, readRun, readSubmission } from "../submissions/views.ts";

const SOURCE = "x = 'é'\n";

let database: TestDatabase;
let ann: Identity;
let box: Identity;

beforeEach(async () => {
  database = await testDatabase();
  await syncProblems(database, problemTree({ "set/double": problemFiles(), "set/old": legacyProblemFiles() }));
  ann = await person(database, "ann");
  box = await runner(database);
  return () => database.close();
});

/** Submits a ranked run and reports these events. Returns the claimed run. */
async function ranked(events = passing("ranked", [100, 300]), board = "double") {
  const submissionId = await submitted(database, ann, { board, mode: "ranked", source: SOURCE });
  const run = await claimed(database, box);
  await reported(database, box, run, events);
  return { ...run, submissionId };
}

async function receiptOf(runId: number): Promise<SignedReceipt> {
  const signed = await readReceipt(database, STRANGER, runId);
  if (signed === null) throw new Error(`run ${runId} has no receipt`);
  return signed;
}

/** Returns the names of the checks that fail. */
async function broken(signed: SignedReceipt): Promise<string[]> {
  const source = new TextEncoder().encode(SOURCE);
  const { checks } = await checkReceipt(signed, { keys: await listKeys(database), source });
  return checks.filter(({ ok }) => ok === false).map(({ name }) => name);
}

test("the receipt of a ranked run is valid and contains all inputs of its score", async () => {
  const { runId, submissionId, problemVersion } = await ranked();
  const signed = await receiptOf(runId);
  expect(await broken(signed)).toEqual([]);
  expect(signed.receipt).toMatchObject({
    submissionId,
    runId,
    attempt: 1,
    account: ann.account,
    board: "double",
    target: "cpu",
    source: { sizeBytes: 9 },
    problemVersion,
    machine: { cpu: { model: "Fast CPU" }, testerVersion: "1" },
    unsandboxed: false,
    legacyHarness: false,
    rankingBy: "mean",
    stop: "rounds",
    regime: "isolated",
    cases: [{ case: { size: 8, seed: 2 } }, { case: { size: 16, seed: 3 } }],
    score: { timeNs: { value: 200 } },
  });
  expect(signed.receipt.machine).not.toHaveProperty("hostname");
});

test("the receipt of a board with weights has them, and the score is recomputed with them", async () => {
  const weighted = problemFiles((task) => `${task}weights: [3, 1]\n`);
  await syncProblems(database, problemTree({ "set/double": weighted, "set/old": legacyProblemFiles() }));
  const { runId } = await ranked();
  const signed = await receiptOf(runId);
  expect(await broken(signed)).toEqual([]);
  expect(signed.receipt).toMatchObject({ weights: [3, 1], score: { timeNs: { value: 150 } } });
});

test("receipts of legacy harness results are signed and marked", async () => {
  const { runId } = await ranked(passingByHarness([100, 300], 1), "old");
  const signed = await receiptOf(runId);
  expect(await broken(signed)).toEqual([]);
  expect(signed.receipt).toMatchObject({ legacyHarness: true, score: { timeNs: { value: 200 }, speedup: null } });
});

test("omits cases that a legacy harness does not time, and the score is recomputed without them", async () => {
  const { runId } = await ranked(passingByHarness([null, 300], 1), "old");
  const signed = await receiptOf(runId);
  expect(await broken(signed)).toEqual([]);
  expect(signed.receipt).toMatchObject({ cases: [{ case: { size: 16 } }], score: { timeNs: { value: 300 } } });
});

test("returns the same document later, even if the account or key was renamed", async () => {
  const { runId } = await ranked();
  const before = canonicalJson(await receiptOf(runId));
  await database.db.updateTable("account").set({ name: "anna" }).where("id", "=", ann.account.id).execute();
  await openSigner(database, generateKeyPairSync("ed25519").privateKey);
  expect(canonicalJson(await receiptOf(runId))).toBe(before);
});

test("after a key change old receipts stay valid and new ones name the new key", async () => {
  const old = await ranked();
  const signer = await openSigner(database, generateKeyPairSync("ed25519").privateKey);
  await submitted(database, ann, { mode: "ranked", source: SOURCE });
  const run = await claimed(database, box);
  await report(database, box, run.runId, { attempt: 1, from: 0, events: passing("ranked") }, { signer });
  const [first, second] = [await receiptOf(old.runId), await receiptOf(run.runId)];
  expect([first.receipt.keyId, second.receipt.keyId]).toEqual([
    (await testSigner(database)).publicKey.kid,
    signer.publicKey.kid,
  ]);
  expect([await broken(first), await broken(second)]).toEqual([[], []]);
  expect((await listKeys(database)).map(({ kid }) => kid)).toEqual([second.receipt.keyId, first.receipt.keyId]);
});

test("changing a stored row invalidates the signature", async () => {
  const { runId } = await ranked();
  await database.sql`update run set time_ns = 90, time_low_ns = 90, time_high_ns = 90 where id = ${runId}`;
  expect(await broken(await receiptOf(runId))).toEqual(["signature", "score"]);
});

test("only scored runs have receipts", async () => {
  const { runId: wrong } = await ranked(failing("wrong_result"));
  const { runId: quarantined } = await ranked(passing("ranked", [0, 0]));
  await submitted(database, ann, { mode: "benchmark" });
  const run = await claimed(database, box);
  await reported(database, box, run, passing("benchmark"));
  for (const id of [wrong, quarantined, run.runId, 4711]) expect(await readReceipt(database, STRANGER, id)).toBeNull();
  expect((await readRun(database, quarantined))?.verdict).toBe("quarantined");
});

test("closing a board reveals the seeds, which match the commitments in the receipts", async () => {
  const { runId, seed } = await ranked();
  const before = await receiptOf(runId);
  expect(before.seed).toBeNull();
  expect(before.receipt.seedCommitment).toBe(await seedCommitment(seed, runId, 1));
  await closeProblem(database, await person(database, "root", ["admin"]), "double");
  expect(await receiptOf(runId)).toEqual({ ...before, seed });
  expect(await broken(await receiptOf(runId))).toEqual([]);
});

test("each attempt has its own seed, to which its receipt commits", async () => {
  await submitted(database, ann, { mode: "ranked", source: SOURCE });
  const first = await claimed(database, box);
  await reported(database, box, first, JUDGE_FAILED);
  const second = await claimed(database, box);
  await reported(database, box, second, passing("ranked"));
  expect(second).toMatchObject({ runId: first.runId, attempt: 2 });
  expect(second.seed).not.toBe(first.seed);
  const { receipt } = await receiptOf(second.runId);
  expect(receipt).toMatchObject({ attempt: 2, seedCommitment: await seedCommitment(second.seed, second.runId, 2) });
});

test("the seed of an open board is in no view, event or receipt", async () => {
  const { runId, submissionId, seed } = await ranked();
  const shown = JSON.stringify([
    await readSubmission(database, submissionId),
    await readRun(database, runId),
    await readEvents(database, submissionId, 0, 100),
    await receiptOf(runId),
  ]);
  expect(seed).toMatch(/^[0-9a-f]{64}$/);
  expect(shown).not.toContain(seed);
});

test("a seed is the HMAC of the run and attempt under the problem's secret", async () => {
  const { runId, seed } = await ranked();
  const secrets = await database.sql<{ problem: string; secret: Buffer }>`select * from seed_master order by problem`;
  expect(secrets.map(({ problem }) => problem)).toEqual(["double", "old"]);
  const [own, other] = secrets.map(({ secret }) =>
    createHmac("sha256", secret).update(`kernelbot.run-seed/1:${runId}:1`).digest("hex"),
  );
  expect(seed).toBe(own);
  expect(other).not.toBe(own);
  // A problem keeps its secret when it is synced again.
  await syncProblems(database, problemTree({ "set/double": problemFiles((task) => `${task}\n# newer\n`) }));
  const [kept] = await database.sql`select secret from seed_master where problem = 'double'`;
  expect(kept).toEqual({ secret: secrets[0]?.secret });
});
