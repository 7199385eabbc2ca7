import { afterAll, beforeAll, expect, test } from "vitest";
import { openPullScene, submissionText, type PullScene } from "./testing/pull-scene.ts";
import { startPullRequests } from "./service.ts";

let scene: PullScene;
beforeAll(async () => {
  scene = await openPullScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

test("a server processes deliveries in the background until it is stopped", async () => {
  const { github, options, testServer } = scene;
  const pull = github.open({ "submissions/model.json": submissionText() });
  const isSaid = new Promise<void>((resolve) => {
    github.trouble = (request) => {
      if (request.startsWith("POST /repos/lab/kernels/statuses/")) resolve();
      return undefined;
    };
  });
  const stop = await startPullRequests(testServer.database, options, "https://kernels.example.org");
  await scene.send(pull.label("mia"));
  await isSaid;
  await stop();
  expect(scene.comment(pull)).toContain("Evaluating");
});

test("a missing account is reported when the server starts", async () => {
  const options = { ...scene.options, account: "missing" };
  await expect(startPullRequests(scene.testServer.database, options, "https://kernels.example.org")).rejects.toThrow(
    'account "missing" not found',
  );
});
