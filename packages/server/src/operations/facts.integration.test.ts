import { expect, test } from "vitest";
import { serverFacts } from "./facts.ts";
import { setGate } from "../submissions/gate.ts";
import { claimed, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, root, useScene } from "@kernelbot/testing/scene.ts";

useScene();

test("returns the server's configuration and contents to an administrator", async () => {
  for (const _ of [1, 2]) await submitted(database, ann);
  await claimed(database, box);
  await setGate(database, root, false);
  const facts = await serverFacts(database, root, "/problems");
  expect(facts).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    postgres: expect.stringMatching(/^\d+\.\d+/) as string,
    problemsFolder: "/problems",
    accepts: false,
    artifactBytes: 0,
    accounts: 4,
    submissions: 2,
    queued: 1,
    running: 1,
    backup: { takenAt: null, address: null, backupError: null, testedAt: null, testError: null },
  });
  expect(facts.databaseBytes).toBeGreaterThan(1e6);
  expect(Date.parse(facts.startedAt)).toBeLessThanOrEqual(Date.now());
});

test("rejects other accounts", async () => {
  await expect(serverFacts(database, ann, "/problems")).rejects.toMatchObject({ code: "forbidden" });
});
