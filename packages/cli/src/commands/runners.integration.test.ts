/** Requests and output of `kernelbot runners`, against a fake server. */
import type { JoinToken, NewToken, RunnerDetail, RunnerStatus } from "@kernelbot/core";
import { expect, test } from "vitest";
import { startFakeServer } from "@kernelbot/testing/cli/fake-server.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { AT, run, worldOf } from "@kernelbot/testing/cli/samples.ts";

const RUNNER: RunnerStatus = {
  id: 3,
  tokenId: 8,
  refused: null,
  adminState: "active",
  reason: null,
  adminStateBy: null,
  adminStateAt: AT,
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
  load: null,
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
  ...{ lastUsedAt: null, current: false, token: "kb_secret", warnings: [] },
};

const LIST = { "GET /runners": { runners: [RUNNER, OTHER] } };

/** Runs a command. Returns its output and the requests that the server received. */
async function call(args: string[], answers: Record<string, unknown>) {
  using place = workshop();
  await using server = await startFakeServer({ ...worldOf(run(), []), answers });
  const { code, out, err } = await place.kernelbot(["runners", ...args], { server: server.url });
  const requests = server.requests.map(({ method, path, body }) => [
    `${method} ${path}`,
    ...(body === undefined ? [] : [body]),
  ]);
  return { code, out: out.replaceAll(server.url, "SERVER"), err, requests };
}

test("runners lists the runners, with the reasons of those that are paused", async () => {
  const paused = { ...OTHER, adminState: "paused", reason: "fans", state: "gone" };
  const { code, out } = await call([], { "GET /runners": { runners: [RUNNER, paused] } });
  expect(code).toBe(0);
  expect(out).toMatch(
    /3 +cpu +box +Fast.* vectoradd, ranked \(9\) +1 of 12 +1.3 % slower\n.*offline since 2026-03-01 12:00, paused /,
  );
  expect(out).toContain("box-2 (4): paused by the server at 2026-03-01 12:00: fans");
});

test("show prints the machine and the canary of a runner", async () => {
  const { out } = await call(["show", "box"], { ...LIST, "GET /runners/3": DETAIL });
  expect(out).toContain("driver      580.1, CUDA 13.0");
  expect(out).toContain("memory 800.0 µs, arithmetic 2.900 ms; 1.3 % slower than its baseline, limit 10 %");
});

test("add prints only the command for each target, and requests a token for one runner and 90 days", async () => {
  const { out, err, requests } = await call(["add", "cpu", "H100"], { "POST /tokens": MADE });
  const command = "curl -fsSL SERVER/install-runner.sh | sh -s -- --token kb_secret --target";
  expect(out).toBe(`${command} cpu\n${command} H100\n`);
  expect(err).toContain("works on this machine only");
  expect(requests).toEqual([
    ["POST /tokens", { label: "runner cpu H100", scopes: ["runner"], targets: ["cpu", "H100"], runners: 1, days: 90 }],
  ]);
});

test("add warns on standard error about targets that are probably mistyped", async () => {
  const warning = 'no leaderboard uses the target "h10O", and it is not a known device; did you mean H100?';
  const { code, out, err } = await call(["add", "h10O"], { "POST /tokens": { ...MADE, warnings: [warning] } });
  expect(code).toBe(0);
  expect(out).toMatch(/--token kb_secret --target h10O\n$/);
  expect(err).toContain(`Warning: ${warning}\n`);
});

test("runners are paused by number, name or target; paused ones are skipped", async () => {
  const answers = {
    "GET /runners": { runners: [RUNNER, { ...OTHER, adminState: "paused", reason: "old" }] },
    "POST /runners/3/pause": { ...DETAIL, adminState: "paused", reason: "fans" },
  };
  const { code, out, requests } = await call(["pause", "cpu", "3", "-r", "fans"], answers);
  expect({ code, requests }).toEqual({
    code: 0,
    requests: [["GET /runners"], ["POST /runners/3/pause", { reason: "fans" }]],
  });
  expect(out).toBe("box (3, cpu) is paused.\nbox-2 (4, cpu) is paused already.\n");
});

test("an unknown or ambiguous name is rejected with the remedy", async () => {
  expect(await call(["drain", "bx"], LIST)).toMatchObject({
    code: 2,
    err: expect.stringContaining('runner "bx" not found') as string,
  });
  const twins = { "GET /runners": { runners: [RUNNER, { ...RUNNER, id: 4, target: "H100" }] } };
  const { code, err } = await call(["resume", "box"], twins);
  expect(code).toBe(2);
  expect(err).toContain('2 runners are named "box": 3 (cpu), 4 (H100); use the number of one');
});

test("revoke revokes the join token of a runner and lists the disconnected runners", async () => {
  const answers = { ...LIST, "POST /runner-tokens/8/revoke": {} };
  expect(await call(["revoke", "box"], answers)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/revoking cannot be undone; .*use --yes/) as string,
  });
  const { out, requests } = await call(["revoke", "box", "--yes"], answers);
  expect(out).toBe('Token 8 is revoked. Disconnected: "box", "box-2".\n');
  expect(requests.at(-1)).toEqual(["POST /runner-tokens/8/revoke"]);
});

test("tokens lists the join tokens", async () => {
  const { out } = await call(["tokens"], { "GET /runner-tokens": { tokens: [TOKEN] } });
  expect(out).toMatch(/8 +rack 2 +cpu H100 +2 of 4 +ada +2026-03-01 12:00 +never/);
});
