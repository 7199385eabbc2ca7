/** A runner process with the real tester, against a server that sends it commands. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Client } from "@kernelbot/api";
import { CANARY_CASES } from "@kernelbot/core";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { syncProblems } from "../problems/sync.ts";

const MAIN = join(import.meta.dirname, "../../../runner/src/main.ts");
const SHIPPED = join(import.meta.dirname, "../../../../problems");
const KERNEL = "def custom_kernel(data):\n    a, b, c = data\n    c[...] = a + b\n    return c\n";
/** Starting the tester takes seconds, and so does a canary. */
const PATIENCE = { timeout: 600_000 };

let testServer: TestServer;
let client: Client;
let runner: ChildProcess;
let output: string;
beforeEach(async () => {
  testServer = await openTestServer({ listening: true });
  client = testServer.client(await testServer.token("root", ["submit", "read", "account", "admin"]));
  output = "";
});
afterEach(async () => {
  if (runner.exitCode === null && runner.signalCode === null) {
    runner.kill("SIGKILL");
    await once(runner, "exit");
  }
  await testServer[Symbol.asyncDispose]();
});

async function start(): Promise<void> {
  const { token } = await client.createToken({ label: "box", scopes: ["runner"], targets: ["cpu"] });
  runner = spawn(process.execPath, [MAIN, "--server", testServer.url, "--target", "cpu", "--name", "box"], {
    env: { ...process.env, KERNELBOT_RUNNER_TOKEN: token },
  });
  for (const stream of [runner.stdout, runner.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
}

const logged = (pattern: RegExp) => expect.poll(() => output, PATIENCE).toMatch(pattern);

test("times the canary when it joins, pauses, resumes and drains, and logs each", async () => {
  await syncProblems(testServer.database, SHIPPED);
  await start();
  await logged(/canary: memory .* ms, arithmetic .* ms; recorded for the baseline/);
  const [{ id } = { id: 0 }] = await client.runners();
  const { canary, machine } = await client.runner(id);
  expect(canary.timesNs).toHaveLength(CANARY_CASES.length);
  expect(machine.frameworks).toHaveProperty("torch");

  await client.changeRunner(id, "pause", "its fans are loud");
  await logged(/paused by root: its fans are loud; not claiming runs until resumed/);
  const request = { board: "vectoradd", targets: ["cpu"], mode: "test", fileName: "k.py", source: KERNEL } as const;
  const { id: submissionId } = await client.submit({ ...request, targets: ["cpu"] });
  await client.changeRunner(id, "resume");
  await logged(/resumed: claiming runs/);
  await logged(/run \d+, attempt 1: passed/);
  expect((await client.submission(submissionId)).runs).toMatchObject([{ verdict: "passed" }]);

  const ended = once(runner, "close");
  await client.changeRunner(id, "drain", "new driver");
  expect(await ended).toEqual([0, null]);
  expect(output).toMatch(/drained by root: new driver\n[^]*stopped\n$/);
  expect(await client.runners()).toMatchObject([{ adminState: "draining", attempts: { ended: 1, failed: 0 } }]);
});

test("exits with code 3 and the server's message when its token is revoked", async () => {
  await start();
  await expect.poll(() => client.runners(), PATIENCE).toHaveLength(1);
  const ended = once(runner, "close");
  const [{ id } = { id: 0 }] = await client.runners();
  await client.revokeRunner(id);
  expect(await ended).toEqual([3, null]);
  expect(output).toMatch(/kernelbot-runner: \S+ returned 401: this token was revoked/);
});
