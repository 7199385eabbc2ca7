/** From a queued run to its verdict, with a real server, database and runner. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openServerWith } from "@kernelbot/testing/server.ts";
import { ensureOperator } from "../../auth/operator.ts";
import { syncProblems } from "../../problems/sync.ts";
import { submit } from "../../submissions/submit.ts";
import { person, problemTree } from "@kernelbot/testing/fixtures.ts";
import { testDatabase } from "@kernelbot/testing/database.ts";
import { parseLaunchers } from "./config.ts";
import { startLaunchers } from "./service.ts";
import { listLaunchers } from "./status.ts";

const VECTORADD = join(import.meta.dirname, "../../../../../problems/pmpp/vectoradd");

test("a queued run launches a local runner, which judges it and ends when idle", async () => {
  const database = await testDatabase();
  await ensureOperator(database);
  const [ann, root] = [await person(database, "ann"), await person(database, "root", ["admin"])];
  const problemsFolder = join(VECTORADD, "../..");
  await syncProblems(database, problemsFolder, { keepForeign: true });
  const launchers = parseLaunchers(
    '[launchers.here]\nkind = "local"\n[launchers.here.targets.cpu]\nidleSeconds = 0\n',
    "",
  );
  const storeFolder = problemTree({});
  await using testServer = await openServerWith(
    database,
    { problemsFolder, storeFolder },
    { listening: true, launchers },
  );
  const stop = await startLaunchers(database, launchers, testServer.url);
  const source = await readFile(join(VECTORADD, "solutions/correct.py"), "utf8");
  const request = { board: "vectoradd", targets: ["cpu"], mode: "test", fileName: "kernel.py", source } as const;
  await submit(database, ann, { ...request, targets: [...request.targets] });
  const launches = async () => {
    // Makes all launches due now instead of in some seconds.
    await database.sql`update launch set due_at = now() where lease_until is null`;
    return (await listLaunchers(database, launchers, root, 9)).launches;
  };
  await expect.poll(launches, { interval: 500 }).toMatchObject([{ state: "ended", error: null }]);
  const runs = await database.sql`
    select verdict, run.runner = launch.name as by_the_launch from run join launch on launch.token_id = run.token_id`;
  expect(runs).toEqual([{ verdict: "passed", by_the_launch: true }]);
  await stop();
});
