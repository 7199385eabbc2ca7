/** Requests and output of `kernelbot runners`, against a fake server. */
import type { JoinToken, NewToken, RunnerDetail, RunnerStatus } from "@kernelbot/core";
import { expect, test } from "vitest";
import { startFakeServer } from "../testing/fake-server.ts";
import { workshop } from "../testing/kernelbot.ts";
import { AT, run, worldOf } from "../testing/samples.ts";

const RUNNER: RunnerStatus = {
  id: 3,
  tokenId: 8,
  refused: null,
  standing: "active",
  reason: null,
  standingBy: null,
  standingAt: AT,
  attempts: {
    ended: 12,
    failed: 3,
    infraErrors: 1,
    infraErrorsInRow: 0,
    lastError: { at: AT, message: "the judge fell over" },
  },
  canary: {
    at: AT,
    timesNs: [800_000, 2_900_000],
    failure: null,
    baselineNs: [790_000, 2_900_000],
    drift: 0.0127,
    bound: 0.1,
  },
  target: "cpu",
  name: "box",
  label: "under the desk",
  hostname: "bench-1",
  model: "Fast CPU, 2 threads",
  testerVersion: "7",
  sandbox: "bubblewrap",
  firstSeenAt: AT,
  lastSeenAt: AT,
  state: "working",
  revoked: false,
  runs: [{ runId: 4, submissionId: 9, board: "vectoradd", mode: "ranked", stage: "test", startedAt: AT }],
};

const OTHER: RunnerStatus = { ...RUNNER, id: 4, name: "box-2", state: "waiting", runs: [] };

const DETAIL: RunnerDetail = {
  ...RUNNER,
  machine: {
    ...{
      hostname: "bench-1",
      os: "Linux 6.8",
      arch: "x86_64",
      memoryBytes: 8e9,
      runtime: "CUDA 13.0",
      driver: "580.1",
    },
    cpu: { model: "Fast CPU", count: 2, clockMhz: null, measured: null },
    accelerators: [],
    ...{ python: "3.13.1", frameworks: { torch: "2.9.0" }, sandbox: "bubblewrap", testerVersion: "7" },
  },
  canaries: [],
};

const TOKEN: JoinToken = {
  ...{ id: 8, label: "rack 2", account: { id: "a", name: "ada" }, targets: ["cpu", "H100"], runners: 4, joined: 2 },
  ...{ createdAt: AT, expiresAt: null, lastUsedAt: AT },
};

const MADE: NewToken = {
  ...{ id: 9, label: "runner cpu H100", scopes: ["runner"], targets: ["cpu", "H100"], createdAt: AT, expiresAt: AT },
  ...{ lastUsedAt: null, current: false, token: "kb_secret" },
};

const LIST = { "GET /runners": { runners: [RUNNER, OTHER] } };

/** Runs a command. Returns its output and the requests that the server received. */
async function said(args: string[], answers: Record<string, unknown>) {
  using place = workshop();
  await using server = await startFakeServer({ ...worldOf(run(), []), answers });
  const { code, out, err } = await place.kernelbot(["runners", ...args], { server: server.url });
  const asked = server.asked.map(({ method, path, body }) => [
    `${method} ${path}`,
    ...(body === undefined ? [] : [body]),
  ]);
  return { code, out: out.replaceAll(server.url, "SERVER"), err, asked };
}

test("the bare name lists the runners, and says why those that do nothing do so", async () => {
  const paused = { ...OTHER, standing: "paused", reason: "fans", state: "gone" };
  const { code, out } = await said([], { "GET /runners": { runners: [RUNNER, paused] } });
  expect(code).toBe(0);
  expect(out).toMatch(
    /3 +cpu +box +Fast.* vectoradd, ranked \(9\) +1 of 12 +1.3 % slower\n.*gone since 2026-03-01 12:00, paused /,
  );
  expect(out).toContain("box-2 (4): paused by the server at 2026-03-01 12:00: fans");
});

test("one is shown with its machine and its canary", async () => {
  const { out } = await said(["show", "box"], { ...LIST, "GET /runners/3": DETAIL });
  expect(out).toContain("driver      580.1, CUDA 13.0");
  expect(out).toContain("memory 800.0 µs, arithmetic 2.900 ms; 1.3 % slower than its baseline, 10 % are allowed");
});

test("adding one prints the command for each target alone, and asks for one runner of 90 days", async () => {
  const { out, err, asked } = await said(["add", "cpu", "H100"], { "POST /tokens": MADE });
  const command = "KERNELBOT_RUNNER_TOKEN=kb_secret npx kernelbot-runner --server SERVER --target";
  expect(out).toBe(`${command} cpu\n${command} H100\n`);
  expect(err).toContain("is this machine alone");
  expect(asked).toEqual([
    ["POST /tokens", { label: "runner cpu H100", scopes: ["runner"], targets: ["cpu", "H100"], runners: 1, days: 90 }],
  ]);
});

test("runners are told by number, name or target; those that are so already are passed over", async () => {
  const answers = {
    "GET /runners": { runners: [RUNNER, { ...OTHER, standing: "paused", reason: "old" }] },
    "POST /runners/3/pause": { ...DETAIL, standing: "paused", reason: "fans" },
  };
  const { code, out, asked } = await said(["pause", "cpu", "3", "-r", "fans"], answers);
  expect({ code, asked }).toEqual({
    code: 0,
    asked: [["GET /runners"], ["POST /runners/3/pause", { reason: "fans" }]],
  });
  expect(out).toBe("box (3, cpu) is paused.\nbox-2 (4, cpu) is paused already.\n");
});

test("a word that names nothing, or two runners, is answered with what to write", async () => {
  expect(await said(["drain", "bx"], LIST)).toMatchObject({
    code: 2,
    err: expect.stringContaining('no runner "bx"') as string,
  });
  const twins = { "GET /runners": { runners: [RUNNER, { ...RUNNER, id: 4, target: "H100" }] } };
  const { code, err } = await said(["resume", "box"], twins);
  expect(code).toBe(2);
  expect(err).toContain('there are 2 runners called "box": 3 (cpu), 4 (H100); use the number');
});

test("revoking ends the token that a runner joined with, and says who else is out", async () => {
  const answers = { ...LIST, "POST /runner-tokens/8/revoke": {} };
  expect(await said(["revoke", "box"], answers)).toMatchObject({
    code: 2,
    err: expect.stringContaining("revoking cannot be undone: say --yes") as string,
  });
  const { out, asked } = await said(["revoke", "box", "--yes"], answers);
  expect(out).toBe('Token 8 is revoked; with it joined "box", "box-2".\n');
  expect(asked.at(-1)).toEqual(["POST /runner-tokens/8/revoke"]);
});

test("what runners can join with is listed", async () => {
  const { out } = await said(["tokens"], { "GET /runner-tokens": { tokens: [TOKEN] } });
  expect(out).toMatch(/8 +rack 2 +cpu H100 +2 of 4 +ada +2026-03-01 12:00 +never/);
});
