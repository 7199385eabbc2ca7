import { ServiceStatus } from "@kernelbot/core";
import { expect, test } from "vitest";
import { setGate } from "../submissions/gate.ts";
import { claimed, JUDGE_FAILED, person, ranked, reported, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";

test("the status has the median time to verdict of each target, and what keeps runs from being judged", async () => {
  await using testServer = await openTestServer();
  const { database } = testServer;
  const [ann, root, box] = await Promise.all([
    person(database, "ann"),
    person(database, "root", ["submit", "read", "admin"]),
    runner(database),
  ]);
  const read = async () => ServiceStatus.parse(await (await testServer.ask("/api/v1/status")).json());
  const id = await ranked(database, ann, box, 100);
  await database.sql`update run set created_at = finished_at - interval '4 seconds' where submission_id = ${id}`;
  const working = await read();
  expect(working).toMatchObject({ isWorking: true, accepts: true, incidents: [] });
  const cpu = { target: "cpu", status: "offline", lastHour: { runs: 1 }, lastDay: { runs: 1 } };
  expect(working.targets.find(({ target }) => target === "cpu")).toMatchObject(cpu);
  expect(working.targets.find(({ target }) => target === "cpu")?.lastHour.medianMs).toBeCloseTo(4000, -1);

  await submitted(database, ann, { targets: ["H100"] });
  await submitted(database, ann);
  for (let attempt = 1; attempt <= 3; attempt += 1)
    await reported(database, box, await claimed(database, box), JUDGE_FAILED);
  await setGate(database, root, false);
  const broken = await read();
  expect(broken).toMatchObject({ isWorking: false, accepts: false });
  expect(broken.incidents.map(({ kind, target }) => [kind, target])).toEqual([
    ["closed", null],
    ["infra_errors", "cpu"],
    ["no_runner", "H100"],
  ]);
  const text = await (await testServer.ask("/status")).text();
  expect(text).toContain("Submissions are closed.");
});
