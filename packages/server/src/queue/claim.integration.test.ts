import type { ClaimRequest } from "@kernelbot/core";
import { expect, test } from "vitest";
import {
  MACHINE,
  claimWait,
  claimed,
  passing,
  person,
  problemFiles,
  problemTree,
  reported,
  runner,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { syncProblems } from "../problems/sync.ts";
import type { Identity } from "../auth/identity.ts";
import { openDatabase } from "../db/database.ts";
import { readEvents, readRun, readSubmission } from "../submissions/views.ts";
import { claimRun } from "./lease.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";

useScene();

function asking(waitMs = 0): ClaimRequest {
  return { target: "cpu", runner: "box", machine: MACHINE, waitMs };
}

test("a claim contains the language, derived from the file name", async () => {
  const files = { ...problemFiles((task) => `${task}languages: { py: , cpp: }\n`), "task.h": "" };
  await syncProblems(database, problemTree({ "set/double": files }));
  await submitted(database, ann, { fileName: "kernel.cpp" });
  expect((await claimed(database, box)).language).toBe("cpp");
});

test("a claim contains what a judge needs, and the log names the runner", async () => {
  const id = await submitted(database, ann, { mode: "benchmark" });
  const run = await claimRun(database, box, asking());
  const submission = await readSubmission(database, id);
  expect(run).toEqual({
    runId: submission?.runs[0]?.id,
    attempt: 1,
    leaseMs: 15_000,
    mode: "benchmark",
    target: "cpu",
    problemVersion: submission?.problemVersion,
    source: "pass\n",
    seed: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    account: ann.account.id,
    language: "py",
  });
  expect(submission?.runs[0]).toMatchObject({ state: "running", attempt: 1, queuePosition: null });
  const [, , started] = await readEvents(database, id, 0, 10);
  expect(started).toMatchObject({
    id: 3,
    runId: run?.runId,
    attempt: 1,
    event: { type: "run_started", target: "cpu", runner: "box", machine: "Fast CPU, 2 threads" },
  });
  expect((await readRun(database, run?.runId ?? 0))?.machine).toEqual(MACHINE);
});

test("a token claims only for its targets, and only with the scope", async () => {
  const other = await runner(database, ["H100"]);
  await expect(claimRun(database, other, asking())).rejects.toThrow('this token may claim for H100, and not for "cpu"');
  await expect(claimRun(database, ann, asking())).rejects.toMatchObject({ code: "forbidden" });
});

test("marks a run on a machine without a sandbox", async () => {
  await submitted(database, ann);
  const run = await claimed(database, box, "cpu", { machine: { ...MACHINE, sandbox: "none" } });
  expect((await readRun(database, run.runId))?.unsandboxed).toBe(true);
});

test("a machine's name cannot inject text into the log", async () => {
  const id = await submitted(database, ann);
  const cpu = { ...MACHINE.cpu, model: "bad \0 \ud800" };
  await claimRun(database, box, { ...asking(), runner: "x\0", machine: { ...MACHINE, cpu } });
  const [, , started] = await readEvents(database, id, 0, 10);
  expect(started?.event).toMatchObject({ runner: "x\ufffd", machine: "bad \ufffd \ufffd, 2 threads" });
});

test("eight runners that claim concurrently never get the same run", async () => {
  const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => submitted(database, ann, { source: `x = ${n}` })));
  const taken: number[] = [];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (
        let run = await claimRun(database, box, asking());
        run !== null;
        run = await claimRun(database, box, asking())
      ) {
        taken.push(run.runId);
        await reported(database, box, run, passing("test"));
      }
    }),
  );
  expect(taken).toHaveLength(ids.length);
  expect(new Set(taken).size).toBe(ids.length);
});

test("a flood of one account does not delay other accounts", async () => {
  const eve = await person(database, "eve");
  const nameOf = new Map<number, string>();
  const add = async (who: Identity, count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const submission = await readSubmission(database, await submitted(database, who));
      nameOf.set(submission?.runs[0]?.id ?? 0, who.account.name);
    }
  };
  await add(eve, 60);
  await add(ann, 5);
  await add(bob, 5);
  const order = [];
  for (let n = 0; n < 20; n += 1) order.push(nameOf.get((await claimed(database, box)).runId));
  // The virtual time was still 0, so each round claims one run of each account.
  expect(order.slice(0, 15)).toEqual(Array.from({ length: 5 }, () => ["eve", "ann", "bob"]).flat());
  expect(order.slice(15)).toEqual(Array(5).fill("eve"));
});

test("an account that joins late starts level with the others", async () => {
  for (let n = 0; n < 20; n += 1) await submitted(database, ann);
  for (let n = 0; n < 10; n += 1) await claimed(database, box);
  const ids = [await submitted(database, bob), await submitted(database, bob)];
  const places = await Promise.all(ids.map(async (id) => (await readSubmission(database, id))?.runs[0]?.queuePosition));
  expect(places).toEqual([1, 3]);
});

test("a ranked run costs more than a test", async () => {
  await submitted(database, ann, { mode: "ranked" });
  const second = await submitted(database, ann, { mode: "ranked" });
  for (let n = 0; n < 4; n += 1) await submitted(database, bob, { mode: "test" });
  expect((await readSubmission(database, second))?.runs[0]?.queuePosition).toBe(6);
});

test("a waiting runner gets a run as soon as it is submitted, also on another server", async () => {
  const other = await openDatabase({ url: database.url });
  const waiting = claimWait(database, box, asking(60_000));
  const id = await submitted(other, ann);
  expect((await waiting)?.runId).toBe((await readSubmission(database, id))?.runs[0]?.id);
  await other.close();
});

test("waiting runners share new runs", async () => {
  const waiting = Array.from({ length: 10 }, () => claimWait(database, box, asking(60_000)));
  await Promise.all(Array.from({ length: 10 }, () => submitted(database, ann)));
  const runs = await Promise.all(waiting);
  expect(new Set(runs.map((run) => run?.runId)).size).toBe(10);
});

test("a long poll returns nothing after its timeout", async () => {
  expect(await claimWait(database, box, asking(10))).toBeNull();
});

test("a runner that disconnects while waiting gets no run", async () => {
  const leaving = new AbortController();
  const waiting = claimWait(database, box, asking(60_000), leaving.signal);
  leaving.abort();
  expect(await waiting).toBeNull();
  const id = await submitted(database, ann);
  expect((await readSubmission(database, id))?.runs[0]?.state).toBe("queued");
});

test("requeues a run that was claimed for a disconnected runner, without counting the attempt", async () => {
  const id = await submitted(database, ann);
  const leaving = new AbortController();
  const waiting = claimWait(database, box, asking(60_000), leaving.signal);
  setImmediate(() => leaving.abort());
  const run = await waiting;
  const [read] = (await readSubmission(database, id))?.runs ?? [];
  // The abort may come before, during or after the claim: a returned run is running, otherwise the run is queued again.
  expect(read).toMatchObject(run === null ? { state: "queued", attempt: 0 } : { state: "running", attempt: 1 });
});
