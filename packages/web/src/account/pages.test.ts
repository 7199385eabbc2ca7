/** Tests of the person and queue pages. */
import type { Person, Queue, QueueTarget, RunnerStatus, WaitingRun } from "@kernelbot/core";
import { expect, test } from "vitest";
import { HOSTILE, ANONYMOUS, visitBy } from "@kernelbot/testing/web/examples.ts";
import { personPage } from "../profile/page.ts";
import { queuePage } from "../queue/page.ts";

const AT = "2026-03-01T12:00:00.000Z";
const timeNs = { value: 12_300, low: 12_200, high: 12_400 };

const PERSON: Person = {
  account: { id: "1", name: "ada" },
  createdAt: AT,
  bannedAt: null,
  authors: [
    { kind: "human", submissions: 3 },
    { kind: "undeclared", submissions: 1 },
  ],
  teams: [
    {
      competition: "spring",
      title: "Spring",
      team: { id: 1, name: "Fast ones" },
      members: [{ id: "a/b", name: "bob" }],
      joinedAt: AT,
      leftAt: null,
    },
  ],
  entries: [
    {
      board: "vectoradd",
      target: "cpu",
      rank: 2,
      of: 1024,
      team: null,
      own: true,
      submissionId: 7,
      runId: 3,
      verification: "confirmed",
      timeNs,
      speedup: null,
      submittedAt: AT,
      unsandboxed: false,
      legacyHarness: false,
      imported: false,
      freeze: null,
    },
  ],
  records: [
    { board: "vectoradd", target: "cpu", submissionId: 7, timeNs: 12_300, since: AT, until: null },
    { board: "sort", target: "cpu", submissionId: 5, timeNs: 500, since: AT, until: "2026-03-02T12:00:00.000Z" },
  ],
  weeks: [
    { monday: "2026-02-16", submissions: 0, days: [0, 0, 0, 0, 0, 0, 0] },
    { monday: "2026-02-23", submissions: 4, days: [0, 1, 0, 0, 0, 0, 3] },
  ],
  competitions: [{ competition: "spring", title: "Spring <kernels>", submissions: 4, lastAt: AT }],
  recent: [{ submissionId: 7, board: "vectoradd", target: "cpu", fileName: "fast.py", submittedAt: AT, timeNs }],
};

const TARGET: QueueTarget = {
  target: "cpu",
  status: "online",
  runners: [{ model: "Example CPU", count: 2 }],
  lastRunnerAt: AT,
  waiting: 3,
  running: 2,
  oldestAt: "2026-03-01T11:57:55.000Z",
  expectedWaitMs: { value: 61_000, low: 40_000, high: 130_000 },
  modes: [{ mode: "ranked", waiting: 3, runs: 50, medianMs: 17_000 }],
  hours: [{ at: AT, runs: 4, medianWaitMs: 2_000, infraErrors: 1 }],
};
const QUEUE: Queue = { at: AT, targets: [TARGET] };
const RUNNER: RunnerStatus = {
  load: 3.14,
  id: 3,
  tokenId: 8,
  refused: null,
  adminState: "active",
  reason: null,
  adminStateBy: null,
  adminStateAt: AT,
  attempts: { ended: 12, failed: 3, infraErrors: 1, infraErrorsInRow: 0, lastError: { at: AT, message: HOSTILE } },
  canary: {
    at: AT,
    timesNs: [800_000, 2_900_000],
    failure: null,
    baselineNs: [790_000, 2_900_000],
    drift: 0.0127,
    bound: 0.1,
  },
  target: "cpu",
  name: HOSTILE,
  label: HOSTILE,
  hostname: HOSTILE,
  model: HOSTILE,
  testerVersion: HOSTILE,
  sandbox: "none",
  firstSeenAt: AT,
  lastSeenAt: AT,
  state: "working",
  revoked: false,
  runs: [{ runId: 1, submissionId: 2, board: "sort", mode: "ranked", stage: "test", startedAt: AT }],
};
const WAITING: WaitingRun = {
  runId: 5,
  submissionId: 10,
  account: { id: HOSTILE, name: HOSTILE },
  board: "sort",
  target: "cpu",
  mode: "test",
  rerun: 0,
  attempt: 1,
  position: 1,
  waitsSince: AT,
};
const inside = { runners: [RUNNER], waiting: [WAITING] };
const server = "https://kernels.example.org";

function textOf(page: string): string {
  return page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

const named = { id: HOSTILE, name: HOSTILE };

test.each([
  ["person", () => personPage({ person: { ...PERSON, account: named, bannedAt: AT }, visit: visitBy(HOSTILE) })],
  ["queue", () => queuePage({ queue: QUEUE, inside, server, visit: ANONYMOUS })],
])("the page %s escapes user text and has no inline styles or scripts", async (_, make) => {
  const page = await make();
  expect(page).toContain("&lt;script&gt;alert(1)");
  expect(page).not.toMatch(/<script>|<img| style=|<style| on\w+="/);
  expect(page).not.toContain(`"'>`);
});

test("a profile shows ranks, records and the activity of the last year", async () => {
  const text = textOf(await personPage({ person: PERSON, visit: ANONYMOUS }));
  expect(text).toContain("Ranked submissions by author: 3 human, 1 undeclared.");
  expect(text).toContain("vectoradd cpu 2026-03-01 12:00 · confirmed 2 of 1,024 12.30 µs");
  expect(text).toContain("sort cpu from 2026-03-01 12:00 500.0 ns 2026-03-02 12:00");
  expect(text).toContain("4 submissions on 2 days of the last year, in UTC.");
  expect(await personPage({ person: PERSON, visit: ANONYMOUS })).toContain('href="/people/a%2Fb"');
  expect(text).not.toContain("your account");
  expect(textOf(await personPage({ person: PERSON, visit: visitBy("ada") }))).toContain("your account");
});

test("accounts without entries, banned accounts and accounts with a blank name have a profile", async () => {
  const empty = {
    ...PERSON,
    authors: [],
    teams: [],
    entries: [],
    records: [],
    weeks: [],
    competitions: [],
    recent: [],
  };
  expect(textOf(await personPage({ person: empty, visit: ANONYMOUS }))).toContain("No leaderboard entries yet.");
  const banned = textOf(await personPage({ person: { ...empty, bannedAt: AT }, visit: ANONYMOUS }));
  expect(banned).toContain("This account was banned on 2026-03-01 12:00");
  expect(banned).not.toContain("No leaderboard entries");
  const account = { id: "0123456789", name: " " };
  expect(textOf(await personPage({ person: { ...empty, account }, visit: ANONYMOUS }))).toContain("account 01234567");
});

test("administrators see on the queue's page that a runner's machine is busy", async () => {
  const text = textOf(await queuePage({ queue: QUEUE, inside, server, visit: ANONYMOUS }));
  expect(text).toContain("machine busy: 3.1 processes for each core");
});

test("the queue shows runners, the expected wait and its basis", async () => {
  const text = textOf(await queuePage({ queue: QUEUE, inside: null, server, visit: ANONYMOUS }));
  expect(text).toContain("2 runners online for 1 target; 2 runs in progress, 3 queued.");
  expect(text).toContain("2 × Example CPU");
  expect(text).toContain("oldest queued for 2 min 5 s");
  expect(text).toContain("expected wait about 1 min (0–3)");
  expect(text).toContain("ranked 17 s (50 runs)");
  expect(text).toContain("Infrastructure errors. 1 of 4 runs.");
  expect(text).not.toContain("visible only to administrators");
});

test("the queue counts only targets with runners", async () => {
  const without = { ...TARGET, target: "B200", runners: [] };
  const overviewOf = async (targets: QueueTarget[]) =>
    textOf(await queuePage({ queue: { at: AT, targets }, inside: null, server, visit: ANONYMOUS }));
  expect(await overviewOf([TARGET, without])).toContain("2 runners online for 1 target;");
  expect(await overviewOf([without])).toContain("No runners online;");
});

test("the queue explains why an expected wait is unknown", async () => {
  const target = { ...TARGET, expectedWaitMs: null, modes: [{ ...TARGET.modes[0], runs: 2, medianMs: null }] };
  const queue = { at: AT, targets: [target as QueueTarget] };
  const text = textOf(await queuePage({ queue, inside: null, server, visit: ANONYMOUS }));
  expect(text).toContain("expected wait –");
  expect(text).toContain("fewer than 5 runs of mode ranked finished in the last week.");
});

test("a target without a runner shows when the last one was seen, and how to add one", async () => {
  const gone: QueueTarget = { ...TARGET, status: "offline", runners: [], expectedWaitMs: null };
  const never = { ...gone, target: "B200", lastRunnerAt: null, waiting: 0, running: 0, oldestAt: null, hours: [] };
  const queue = { at: "2026-03-01T14:30:00.000Z", targets: [gone, never] };
  const text = textOf(await queuePage({ queue, inside: null, server, visit: ANONYMOUS }));
  expect(text).toContain(
    "No runner for cpu is connected; 3 submissions queued; last seen 2 h ago. Submissions stay queued until a runner connects.",
  );
  expect(text).toMatch(/Targets without a runner B200 .* kernelbot runners add B200/);
  expect(text).toContain(`curl -fsSL ${server}/install-runner.sh | sh -s -- --token kb_... --target cpu`);
});

test("a target whose runners are started on demand is not listed as one without a runner", async () => {
  const launched: QueueTarget = { ...TARGET, status: "on_demand", runners: [], expectedWaitMs: null };
  const quiet = { ...launched, target: "B200", waiting: 0, running: 0, oldestAt: null, hours: [] };
  const queue = { at: AT, targets: [launched, quiet] };
  const text = textOf(await queuePage({ queue, inside: null, server, visit: ANONYMOUS }));
  expect(text).toContain("A runner for cpu is started on demand; 3 submissions queued.");
  expect(text).toContain("A runner for B200 is started on demand; no submissions queued.");
  expect(text).not.toContain("Targets without a runner");
});
