import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Checks } from "@kernelbot/core";
import { loadProblemDirectory } from "@kernelbot/tester";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { isAlive, processTree } from "../../../tester/node/kill-tree.ts";
import { FakeServer } from "@kernelbot/testing/runner/fake-server.ts";

const MAIN = join(import.meta.dirname, "main.ts");
const VECTORADD = join(import.meta.dirname, "../../../problems/pmpp/vectoradd");
const ENDLESS = "def custom_kernel(data):\n    while True:\n        pass\n";

let server: FakeServer;
let runner: ChildProcess;
let output: string;
beforeEach(async () => {
  server = await new FakeServer().start();
  server.problems.set("v1", await loadProblemDirectory(VECTORADD));
});
afterEach(async () => {
  if (runner.exitCode === null && runner.signalCode === null) {
    runner.kill("SIGKILL");
    await once(runner, "exit");
  }
  await server.stop();
});

function start(args: readonly string[], token = "secret"): ChildProcess {
  output = "";
  runner = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, KERNELBOT_RUNNER_TOKEN: token } });
  for (const stream of [runner.stdout, runner.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  return runner;
}

const serve = (...args: string[]): string[] => [
  "--server",
  server.url.href,
  "--target",
  "cpu",
  "--name",
  "box",
  ...args,
];

test("queued runs are judged with the real tester and logged, then the runner exits", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "kernelbot-heartbeat-"));
  const heartbeat = join(folder.path, "heartbeat");
  const correct = await readFile(join(VECTORADD, "solutions/correct.py"), "utf8");
  const wrong = await readFile(join(VECTORADD, "solutions/wrong_tail.py"), "utf8");
  server.enqueue({ runId: 1, source: correct });
  server.enqueue({ runId: 2, source: wrong });
  const code = await exitCode(start(serve("--drain", "--heartbeat-file", heartbeat)));
  expect(existsSync(heartbeat)).toBe(true);
  expect(server.stored.get(1)?.at(-1)).toMatchObject({ type: "verdict", verdict: "passed" });
  expect(server.stored.get(2)?.at(-1)).toMatchObject({ verdict: "failed", failureClass: "wrong_result" });
  expect(output).toMatch(/box: .*torch .*sandbox bubblewrap/);
  expect(output).toMatch(/run 1, attempt 1: passed in \d+ ms/);
  expect(output).toMatch(/run 2, attempt 1: failed, wrong_result in \d+ ms/);
  expect(code).toBe(0);
});

test("kill -9 during a run leaves no process behind", async () => {
  server.enqueue({ runId: 1, source: ENDLESS });
  const ended = once(start(serve()), "exit");
  await untilTesting(1);
  const pids = processTree(runner.pid ?? 0);
  runner.kill("SIGKILL");
  await ended;
  // Runner, host, judge, sandbox, zygote, worker.
  expect(pids.length).toBeGreaterThanOrEqual(5);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test("the first SIGTERM lets the run finish, the second stops it immediately", async () => {
  server.enqueue({ runId: 1, source: ENDLESS });
  const ended = once(start(serve()), "close");
  await untilTesting(1);
  const pids = processTree(runner.pid ?? 0);
  runner.kill("SIGTERM");
  await expect.poll(() => output).toContain("SIGTERM: draining");
  expect(runner.exitCode).toBeNull();
  runner.kill("SIGTERM");
  expect(await ended).toEqual([143, null]);
  expect(pids.filter(isAlive)).toEqual([]);
});

test("a rejected token exits with 3 and one message", async () => {
  const code = await exitCode(start(serve(), "wrong"));
  expect(output).toContain(`kernelbot-runner: ${server.url.origin} returned 401: this token is not known`);
  expect(code).toBe(3);
});

test("an invalid command line exits with 2 and the remedy", async () => {
  const code = await exitCode(start(["--target", "cpu"]));
  expect(output).toBe("kernelbot-runner: --server URL is required\nRun kernelbot-runner --help for its options\n");
  expect(code).toBe(2);
});

test("doctor confirms a machine and a token with which a runner works", async () => {
  const code = await exitCode(start(["doctor", ...serve("--json")]));
  const result = z.object({ ok: z.boolean(), target: z.string(), checks: Checks }).parse(JSON.parse(output));
  expect(result.checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(result.checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["Node.js", "worker", "tester", "token"]),
  );
  expect([result.ok, result.target, code]).toEqual([true, "cpu", 0]);
  expect(server.requests).toEqual(["POST check"]);
});

test("doctor exits with 3 and the remedy where a runner would not work", async () => {
  const code = await exitCode(start(["doctor", "--target", "H100", "--server", server.url.href], "wrong"));
  expect(output).toMatch(/^Would a runner work on this machine for H100\? no$/m);
  expect(output).toMatch(/✗ accelerator .*\n +→ (Do what the finding says|Install the driver)/);
  expect(output).toMatch(/✗ token .*returned 401.*\n +→ Create a token: kernelbot runners add H100\n/);
  expect(code).toBe(3);
});

/** Waits until a process has ended and its output is closed. Returns its exit code. */
async function exitCode(child: ChildProcess): Promise<number | null> {
  await once(child, "close");
  return child.exitCode;
}

async function untilTesting(runId: number): Promise<void> {
  const testing = (): boolean =>
    (server.stored.get(runId) ?? []).some((event) => event.type === "stage_started" && event.stage === "test");
  while (!testing()) await once(server, "report");
}
