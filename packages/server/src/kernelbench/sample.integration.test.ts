import { beforeEach, expect, test } from "vitest";
import { ensureOperator } from "../auth/operator.ts";
import { STRANGER } from "../auth/visibility.ts";
import { claimWait, MACHINE } from "@kernelbot/testing/fixtures.ts";
import { entered, judgeAll, kernelPassing, suiteUpload, withSuite } from "@kernelbot/testing/kernelbench.ts";
import { ann, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { listEntries } from "./entries.ts";
import { judgeSampleEntry, offerSampleSuite } from "./sample.ts";
import { setGate } from "../submissions/gate.ts";
import { listSuites } from "./suites.ts";

useScene();
beforeEach(() => ensureOperator(database));

const NAME = "kernelbench-mini";

function connectRunner() {
  return claimWait(database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });
}

test("a new server offers a suite, and judges and publishes its sample entry when a runner is online", async () => {
  expect(await Promise.all([offerSampleSuite(database), offerSampleSuite(database)])).toEqual([true, true]);
  expect(await listSuites(database)).toMatchObject([{ name: NAME, problemCount: 9, targets: ["cpu"] }]);
  await judgeSampleEntry(database);
  expect(await database.sql`select from kernelbench_entry`).toEqual([]);

  await connectRunner();
  await Promise.all([judgeSampleEntry(database), judgeSampleEntry(database)]);
  expect(await database.sql`select from kernelbench_entry`).toHaveLength(1);
  expect(await listEntries(database, STRANGER)).toEqual([]);
  await judgeAll(database, box, 9, () => kernelPassing(500));
  await judgeSampleEntry(database);
  await judgeSampleEntry(database);
  expect(await listEntries(database, STRANGER)).toMatchObject([
    { account: { name: "operator" }, metadata: { display_name: "Sample entry" }, progress: { done: 9 } },
  ]);
});

test("no sample entry is submitted while submissions are closed", async () => {
  await offerSampleSuite(database);
  await connectRunner();
  await setGate(database, root, false);
  await judgeSampleEntry(database);
  expect(await database.sql`select from kernelbench_entry`).toEqual([]);
});

test("a suite of the same name that an organiser uploaded is left unchanged", async () => {
  await withSuite(database, root, { name: NAME });
  expect(await offerSampleSuite(database)).toBe(false);
  expect(await listSuites(database)).toMatchObject([{ name: NAME, origin: suiteUpload().origin, problemCount: 3 }]);
});

test("a suite that has an entry gets no sample entry, and the entries of others are not published", async () => {
  await offerSampleSuite(database);
  await entered(database, ann, { suite: NAME });
  await connectRunner();
  await judgeSampleEntry(database);
  expect(await database.sql`select account_id, published_at from kernelbench_entry`).toEqual([
    { account_id: ann.account.id, published_at: null },
  ]);
});

test("nothing is offered after the operator was banned", async () => {
  await database.sql`update account set banned_at = now(), ban_reason = 'left' where id = 'operator'`;
  expect(await offerSampleSuite(database)).toBe(false);
  expect(await listSuites(database)).toEqual([]);
});
