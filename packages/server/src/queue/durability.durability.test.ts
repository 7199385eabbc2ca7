import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isFinished } from "@kernelbot/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EXAMPLE_PROBLEMS } from "@kernelbot/testing/example-problems.ts";
import {
  claimWait,
  MACHINE,
  failing,
  passing,
  person,
  report,
  request,
  problemTree,
  runner,
} from "@kernelbot/testing/fixtures.ts";
import { startPeriodicJobs } from "../jobs/periodic.ts";
import { leaseSweep } from "./expired-leases.ts";
import { openDatabase, type Database } from "../db/database.ts";
import { findPostmaster } from "../db/embedded/postmaster.ts";
import { syncProblems } from "../problems/sync.ts";
import { submit } from "../submissions/submit.ts";
import { openEventHub } from "../live/event-hub.ts";
import { readEvents, readSource, readSubmission } from "../submissions/views.ts";

const dataDir = mkdtempSync("/var/tmp/kernelbot-test-");
let database: Database;

beforeAll(async () => {
  chmodSync(dataDir, 0o755);
  database = await openDatabase({ dataDir });
  await syncProblems(database, problemTree(EXAMPLE_PROBLEMS));
});

afterAll(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test("every submission ends once with its own verdict although the database is killed repeatedly", async () => {
  const ann = await person(database, "ann");
  const box = await runner(database);
  const jobs = startPeriodicJobs(database, [leaseSweep(database)]);
  const hub = await openEventHub(database);
  const stopped = new AbortController();

  /** Runners that pass or fail a run depending on its source text. */
  const runners = Array.from({ length: 4 }, async () => {
    while (!stopped.signal.aborted) {
      const claim = { target: "cpu", runner: "box", machine: MACHINE, waitMs: 500 };
      const run = await claimWait(database, box, claim, stopped.signal, { leaseMs: 1500 });
      if (run === null) continue;
      const events = run.source.startsWith("good") ? passing(run.mode) : failing("wrong_result", run.source);
      for (const [from, event] of events.entries()) {
        await report(database, box, run.runId, { attempt: run.attempt, from, events: [event] }).catch(
          (error: unknown) => {
            // Another runner claimed the run after its lease expired during the database outage.
            if ((error as { code?: string }).code !== "stale_attempt") throw error;
          },
        );
      }
    }
  });

  const killer = (async () => {
    for (const done of [10, 25, 40]) {
      while ((await runsDone()) < done) await new Promise(setImmediate);
      process.kill(findPostmaster(join(dataDir, "postgres"))?.pid ?? 0, "SIGKILL");
    }
  })();

  const accepted = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const source = `${n % 3 === 0 ? "bad" : "good"} ${n}`;
      const { submission } = await submit(database, ann, request({ source, mode: n % 2 === 0 ? "ranked" : "test" }));
      return submission.id;
    }),
  );
  await killer;
  for (const id of accepted) {
    await new Promise<void>((resolve, reject) => {
      const look = (): void =>
        void readSubmission(database, id).then((now) => now !== null && isFinished(now) && resolve(), reject);
      hub.subscribe(`submission ${id}`, look);
      look();
    });
  }
  stopped.abort();
  await Promise.all(runners);
  await jobs.stop();
  await hub.close();

  expect(new Set(accepted).size).toBe(60);
  for (const id of accepted) {
    const submission = await readSubmission(database, id);
    const source = (await readSource(database, id)) ?? "";
    expect(submission?.runs[0]).toMatchObject(
      source.startsWith("good") ? { verdict: "passed" } : { verdict: "failed", message: source },
    );
    const events = await readEvents(database, id, 0, 1000);
    expect(events.map((event) => event.id)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter((event) => event.event.type === "run_finished")).toHaveLength(1);
  }
  expect(await database.sql`select count(*) from submission`).toEqual([{ count: 60 }]);
});

async function runsDone(): Promise<number> {
  const { count } = await database.db
    .selectFrom("run")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("state", "=", "done")
    .executeTakeFirstOrThrow();
  return count;
}
