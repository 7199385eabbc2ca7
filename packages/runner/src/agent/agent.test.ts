import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JudgeEvent, parseProblem } from "@kernelbot/core";
import { startTester, type Tester } from "@kernelbot/tester";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AgentParts, runAgent } from "./agent.ts";
import { isAlive } from "../../../../tester/node/kill-tree.ts";
import { ServerClient } from "../server/server-client.ts";
import { FakeServer, SEED } from "@kernelbot/testing/runner/fake-server.ts";

const FAKE_TESTER = join(import.meta.dirname, "../../../../tester/node/fake-tester.mjs");
const problem = parseProblem("vectoradd", {
  "task.yml": "{ description: d, tests: [{ n: 1 }], benchmarks: [{ n: 1 }], gpus: [cpu] }",
  "reference.py": "",
});

let tester: Tester;
let server: FakeServer;
let drain: AbortController;
let stop: AbortController;
let lines: string[];
let agent: Promise<void>;
let directory: string;

beforeAll(async () => {
  tester = await startTester({ python: FAKE_TESTER });
  directory = await mkdtemp(join(tmpdir(), "kernelbot-agent-"));
});
afterAll(async () => {
  await tester.close();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  server = await new FakeServer().start();
  server.problems.set("v1", problem);
  [drain, stop, lines] = [new AbortController(), new AbortController(), []];
  agent = Promise.resolve();
});
afterEach(async () => {
  drain.abort();
  stop.abort();
  await agent.catch(() => undefined);
  await server.stop();
});

type Ends = Partial<Pick<AgentParts["options"], "endWhenIdleMs" | "endAt" | "image">>;

function start(
  until: AgentParts["options"]["until"] = "stopped",
  {
    token = "secret",
    restAfterMs = 60_000,
    target = "cpu",
    ...ends
  }: Ends & { token?: string; restAfterMs?: number; target?: string } = {},
): Promise<void> {
  const log = (line: string): void => void lines.push(line);
  const client = new ServerClient(server.url, token, log);
  const options = {
    target,
    name: "box",
    until,
    restAfterMs,
    endWhenIdleMs: null,
    endAt: null,
    image: null,
    ...ends,
  };
  agent = runAgent({ options, client, tester, log, drain: drain.signal, stop: stop.signal, pausedMs: 10 });
  agent.catch(() => undefined); // Each test checks its outcome.
  return agent;
}

const typesOf = (runId: number): JudgeEvent["type"][] => (server.stored.get(runId) ?? []).map((event) => event.type);
const PASSED = ["stage_started", "stage_finished", "verdict"];
const logged = (pattern: RegExp) => expect.poll(() => lines.some((line) => pattern.test(line))).toBe(true);

test("runs are judged one after another, and each problem version is fetched once", async () => {
  for (const runId of [1, 2, 3]) server.enqueue({ runId, source: "pass" });
  await start("queue empty");
  for (const runId of [1, 2, 3]) expect(typesOf(runId)).toEqual(PASSED);
  expect(server.requests.filter((request) => request === "GET problems/v1")).toHaveLength(1);
});

test("a claim has the container image of the runner", async () => {
  const claimed = once(server, "claim") as Promise<[{ machine: { image?: string } }]>;
  await start("queue empty", { image: "kernelbot-runner-cuda:1" });
  expect((await claimed)[0].machine.image).toBe("kernelbot-runner-cuda:1");
});

test("with an idle timeout the runner judges queued runs and exits after the timeout", async () => {
  server.enqueue({ runId: 1, source: "pass" });
  await start("stopped", { endWhenIdleMs: 50 });
  expect(typesOf(1)).toEqual(PASSED);
  expect(lines).toContain("idle timeout reached");
});

test("after its end time the runner claims no queued runs", async () => {
  server.enqueue({ runId: 1, source: "pass" });
  await start("stopped", { endAt: new Date() });
  expect(server.requests).toEqual([]);
});

test("a claim does not wait beyond the end time", async () => {
  await start("stopped", { endAt: new Date(Date.now() + 200) });
  expect(server.requests).toContain("POST claim");
  expect(lines).toContain("end time reached");
});

test("the seed of the attempt is passed to the judge and not logged", async () => {
  server.enqueue({ runId: 1, source: "seed" });
  await start("queue empty");
  expect(server.stored.get(1)).toContainEqual(expect.objectContaining({ type: "output", head: SEED }));
  expect(lines.join()).toContain("run 1, attempt 1");
  expect(lines.join()).not.toContain(SEED);
});

test("a claim has the target, the runner's name and the machine", async () => {
  const [claim] = await Promise.all([new Promise((resolve) => server.once("claim", resolve)), start("queue empty")]);
  expect(claim).toMatchObject({ target: "cpu", runner: "box", machine: { sandbox: "bubblewrap" } });
});

test("with --once the runner exits after one run although more are queued", async () => {
  for (const runId of [1, 2]) server.enqueue({ runId, source: "pass" });
  await start("one run");
  expect(server.stored.has(2)).toBe(false);
});

test("events are reported while the run is running", async () => {
  const file = join(directory, "progress");
  server.enqueue({ runId: 1, source: `await ${file}` });
  const ended = start("one run");
  await server.until(1, "stage_started");
  expect(typesOf(1)).toEqual(["stage_started"]);
  await writeFile(file, "");
  await ended;
  expect(typesOf(1)).toEqual(PASSED);
});

test("a server that restarts during a run receives every event once", async () => {
  const file = join(directory, "restart");
  server.enqueue({ runId: 1, source: `await ${file}`, leaseMs: 300 });
  const ended = start("one run");
  await server.until(1, "stage_started");
  await server.stop();
  await logged(/cannot be reached/);
  await writeFile(file, "");
  await testerIsFree();
  await server.start();
  await ended;
  expect(typesOf(1)).toEqual(PASSED);
  expect(lines.filter((line) => line.includes("cannot be reached"))).toHaveLength(1);
  expect(lines.some((line) => line.startsWith("the server responds again"))).toBe(true);
});
test("an unreachable server at startup is retried, with one log line", async () => {
  await server.stop();
  const ended = start("queue empty");
  await logged(/cannot be reached \(ECONNREFUSED\); retrying/);
  server.enqueue({ runId: 1, source: "pass" });
  await server.start();
  await ended;
  expect(typesOf(1)).toEqual(PASSED);
  expect(lines.filter((line) => line.includes("cannot be reached"))).toHaveLength(1);
});

test("the tester gets the rival of a duel", async () => {
  const rival = { source: "other", language: "cpp" } as const;
  server.enqueue({ runId: 1, source: "duel", mode: "duel", rival });
  await start("one run");
  expect(server.stored.get(1)?.[1]).toMatchObject({ type: "output", head: JSON.stringify(rival) });
});

test("artifacts of a profile are uploaded before the verdict, and their folder is removed after the run", async () => {
  server.enqueue({ runId: 1, source: "profile", mode: "profile" });
  await start("queue empty");
  expect(typesOf(1)).toEqual(["stage_started", "artifact", "verdict"]);
  const folder = server.artifacts.get("1/profile.0.txt")?.toString() ?? "";
  expect(folder).toMatch(/kernelbot-artifacts-/);
  expect(existsSync(folder)).toBe(false);
});

test("a run that was leased to another attempt is killed, and the next is claimed", async () => {
  server.enqueue({ runId: 1, source: "wait", leaseMs: 150 });
  server.enqueue({ runId: 2, source: "pass" });
  const ended = start("queue empty");
  await server.until(1, "stage_started");
  server.supersede(1);
  await ended;
  expect(typesOf(1)).toEqual(["stage_started"]);
  expect(typesOf(2)).toEqual(PASSED);
  expect(lines.some((line) => /run 1, attempt 1: stopped: the lease expired/.test(line))).toBe(true);
});

test("a cancelled run is killed even if it ignores signals, and the next is claimed", async () => {
  server.enqueue({ runId: 1, source: "hang", leaseMs: 150 });
  server.enqueue({ runId: 2, source: "pass" });
  const ended = start("queue empty");
  await server.until(1, "output");
  server.cancelled.add(1);
  await ended;
  expect(typesOf(1)).not.toContain("verdict");
  expect(typesOf(2)).toEqual(PASSED);
});

test("a crashed tester is an infrastructure error, and the next run gets a new tester", async () => {
  server.enqueue({ runId: 1, source: "die" });
  server.enqueue({ runId: 2, source: "pass" });
  await start("queue empty");
  expect(server.stored.get(1)?.at(-1)).toEqual({
    type: "verdict",
    verdict: "infra_error",
    failureClass: null,
    message: "the runner could not judge the submission: the tester ended unexpectedly (exit code 7)",
    detail: null,
  });
  expect(typesOf(2)).toEqual(PASSED);
});

test("the tester is stopped while the runner is idle, and restarted for the next run", async () => {
  const pid = tester.pid ?? 0;
  const ended = start("one run", { restAfterMs: 1 });
  await expect.poll(() => isAlive(pid)).toBe(false);
  server.enqueue({ runId: 1, source: "pass" });
  await ended;
  expect(typesOf(1)).toEqual(PASSED);
});

test("a problem that cannot be fetched is an infrastructure error", async () => {
  server.enqueue({ runId: 1, source: "pass", problemVersion: "lost" });
  await start("one run");
  expect(server.stored.get(1)).toMatchObject([
    { verdict: "infra_error", message: expect.stringContaining("no such version") as string },
  ]);
});

test("a rejected token ends the runner with the server's message", async () => {
  await expect(start("stopped", { token: "wrong" })).rejects.toThrow(
    "returned 401: this token is not known, or was revoked",
  );
});

test("a redirect is reported and not followed with the token", async () => {
  server.before = () => ({ status: 308, headers: { location: "https://elsewhere.example/" } });
  await expect(start()).rejects.toThrow("redirects to https://elsewhere.example/");
});

test("a requested canary is timed by the tester and its times are reported by case", async () => {
  server.orders.push({ order: "canary", reason: "it is due" });
  const canary = once(server, "canary");
  void start();
  expect(await canary).toMatchObject([
    { target: "cpu", runner: "box", machine: { hostname: "fake" }, timesNs: [1e6, 1e6], failure: null },
  ]);
  await logged(/^canary: memory 1\.000 ms, arithmetic 1\.000 ms; noted$/);
});

test("a claimed run interrupts the canary", async () => {
  server.orders.push({ order: "canary", reason: "it is due" });
  const canaryFlags: unknown[] = [];
  server.on("claim", ({ canary }) => canaryFlags.push(canary));
  void start("stopped", { target: "slow" });
  await expect.poll(() => canaryFlags).toEqual([true, false]);
  server.enqueue({ runId: 1, source: "pass" });
  await server.until(1, "verdict");
  expect(typesOf(1)).toEqual(PASSED);
  expect(server.requests).not.toContain("POST canary");
  expect(lines).toContain("canary: interrupted by a run");
});

test("a canary that crashes the tester is reported as failed, and the next run gets a new tester", async () => {
  server.orders.push({ order: "canary", reason: "it is due" });
  const canary = once(server, "canary");
  void start("stopped", { target: "slow" });
  const pid = tester.pid ?? 0;
  await expect.poll(() => server.requests.length).toBe(2);
  process.kill(pid, "SIGKILL");
  expect(await canary).toMatchObject([{ timesNs: null, failure: expect.stringContaining("SIGKILL") as string }]);
  server.enqueue({ runId: 1, source: "pass" });
  await server.until(1, "verdict");
});

test("a runner that exits by itself offers no canary", async () => {
  const claim = once(server, "claim");
  await start("queue empty");
  expect(await claim).toMatchObject([{ canary: false }]);
});

test("a paused runner logs the reason once, claims no runs, and continues when resumed", async () => {
  const order = { order: "pause", reason: "by ann: its fans are loud" } as const;
  server.orders.push(order, order);
  server.enqueue({ runId: 1, source: "pass" });
  void start("stopped");
  await server.until(1, "verdict");
  expect(lines.filter((line) => line.startsWith("paused"))).toEqual([
    "paused by ann: its fans are loud; not claiming runs until resumed",
  ]);
  expect(lines).toContain("resumed: claiming runs");
});

test("a drained runner logs the reason and exits", async () => {
  server.orders.push({ order: "end", reason: "by ann: new driver" });
  await start();
  expect(lines.at(-1)).toBe("drained by ann: new driver");
});

test("draining an idle runner ends it", async () => {
  const ended = start();
  await new Promise((resolve) => server.once("claim", resolve));
  drain.abort();
  await ended;
});

test("draining during a run finishes and reports it, and claims no other", async () => {
  const file = join(directory, "drain");
  server.enqueue({ runId: 1, source: `await ${file}` });
  server.enqueue({ runId: 2, source: "pass" });
  const ended = start();
  await server.until(1, "stage_started");
  drain.abort();
  await writeFile(file, "");
  await ended;
  expect(typesOf(1)).toEqual(PASSED);
  expect(server.stored.has(2)).toBe(false);
});

test("stopping during a run leaves it without a verdict", async () => {
  server.enqueue({ runId: 1, source: "wait" });
  const ended = start();
  await server.until(1, "stage_started");
  drain.abort();
  stop.abort();
  await ended;
  expect(typesOf(1)).toEqual(["stage_started"]);
});

/** Resolves when the tester is free: it accepts a job only when the previous one has ended. */
async function testerIsFree(): Promise<void> {
  const job = { type: "run", id: "probe", mode: "test", target: "cpu", problem, source: "pass" } as const;
  const probe = (): Promise<boolean> =>
    tester
      .run(job, () => undefined)
      .then(
        () => true,
        () => false,
      );
  await expect.poll(probe).toBe(true);
}
