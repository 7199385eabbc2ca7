/** Tests of the person, queue and live screen pages. */
import type { Board, Person, Queue, QueueTarget, RunnerStatus, WaitingRun } from "@kernelbot/core";
import { expect, test } from "vitest";
import { BOARD, COMPETITION, HOSTILE, NOW, ROW, ANONYMOUS, visitBy } from "@kernelbot/testing/web/examples.ts";
import { personPage } from "../profile/page.ts";
import { queuePage } from "../queue/page.ts";
import { chooseScreenPage, screenPage } from "../screen/page.ts";

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
  [
    "screen",
    () =>
      screenPage({
        boards: [{ ...BOARD, rows: [{ ...ROW, account: named }] }],
        isWhole: true,
        competition: { ...COMPETITION, title: HOSTILE },
        now: NOW,
        visit: ANONYMOUS,
      }),
  ],
  [
    "screen selection",
    () =>
      chooseScreenPage({ boards: [], competitions: [{ ...COMPETITION, title: HOSTILE }], most: 12, visit: ANONYMOUS }),
  ],
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

const boardOf = (name: string, rows = 12): Board => ({
  ...BOARD,
  board: name,
  rows: Array.from({ length: rows }, (_, at) => ({ ...ROW, rank: at + 1, account: { id: `${at}`, name: `p${at}` } })),
});

test("a screen shows the top ten of each board, up to four boards side by side, and rotates more", async () => {
  const screenOf = (boards: Board[]) =>
    screenPage({ boards, isWhole: false, competition: null, now: NOW, visit: ANONYMOUS });
  const four = await screenOf(["a", "b", "c", "d"].map((name) => boardOf(name)));
  expect(four).toContain('data-turn="4"');
  expect(four.match(/data-entrant/g)).toHaveLength(40);
  expect(textOf(four)).toContain("and 2 more");
  expect(four).toContain('data-updates="/boards/a/cpu/updates /boards/b/cpu/updates ');
  const five = await screenOf(["a", "b", "c", "d", "e"].map((name) => boardOf(name)));
  expect(five).toContain('data-turn="3"');
  expect(five).toContain('data-updates="/updates"');
  const some = textOf(await screenOf([boardOf("a"), boardOf("b", 0)]));
  expect(some).toContain("1 leaderboard without entries");
  expect(textOf(await screenOf([boardOf("b", 0)]))).toContain("No entries yet.");
});

test("a screen is dark by default, has no navigation, and counts down", async () => {
  const shown = { boards: [boardOf("a")], isWhole: true, competition: COMPETITION, now: NOW };
  const page = await screenPage({ ...shown, visit: ANONYMOUS });
  expect(page).toContain('data-theme="dark"');
  expect(page).not.toContain("<nav");
  expect(page).toContain('href="/somewhere?a=1"');
  expect(page).toContain('data-updates="/updates?competition=spring"');
  expect(page).toMatch(/<time datetime="[^"]+" data-countdown="running"/);
  expect(await screenPage({ ...shown, visit: { ...ANONYMOUS, theme: "light" } })).toContain('data-theme="light"');
});
