/** Fixtures for page tests: a submission in each state that a page can show. */
import type {
  Board,
  BoardRow,
  ComparedSubmissions,
  Competition,
  RunDetail,
  StageResult,
  Submission,
  TargetAvailability,
} from "@kernelbot/core";
import { MACHINE as TEST_MACHINE } from "../machine.ts";
import { checkedCase, interval } from "../results.ts";
import type { AccountPage } from "../../../web/src/account/page.ts";
import { ISLANDS, type Island } from "../../../web/src/assets/asset-files.ts";
import type { BoardPage } from "../../../web/src/board/page-data.ts";
import { ALL } from "../../../web/src/board/filter.ts";
import { boardPage } from "../../../web/src/board/page.ts";
import type { SignedVisit, Visit } from "../../../web/src/layout/page-context.ts";

/** Hostile text for every field that a user controls. */
export const HOSTILE = `</td><script>alert(1)</script>"'><img src=x onerror=alert(1)>`;

/** Visit without a signed-in account. */
export const ANONYMOUS: Visit = {
  viewer: null,
  theme: null,
  origin: "https://kernels.example.org",
  path: "/somewhere?a=1",
  next: "/somewhere?a=1",
  picturePath: ({ title, text, trend }) => `/pictures/${encodeURIComponent(`${title}: ${text} ${trend.length}`)}`,
  assets: {
    style: "/assets/style-1.css",
    icon: "/assets/icon-1.svg",
    preview: "/assets/preview-1.png",
    glyphs: "/assets/glyphs-1.bin",
    fonts: ["/assets/sans-1.woff2"],
    islands: Object.fromEntries(ISLANDS.map((name) => [name, `/assets/${name}-1.js`])) as Record<Island, string>,
  },
  adminTabs: [],
};

/** Returns a visit of a signed-in participant. */
export function visitBy(name: string, roles: SignedVisit["viewer"]["roles"] = []): SignedVisit {
  return { ...ANONYMOUS, picturePath: null, viewer: { id: "1", name, roles } };
}

/** A machine whose host name occurs nowhere else on a page. */
export const MACHINE = { ...TEST_MACHINE, hostname: "bench-1" };

export const CASE = checkedCase(0);

export const TESTS: StageResult = {
  stage: "test",
  passed: true,
  durationNs: 41_000_000,
  output: null,
  cases: [CASE, { ...CASE, index: 1, case: { size: 4096, seed: 4242 } }],
};

export const TIMED: StageResult = {
  ...TESTS,
  stage: "ranked",
  durationNs: 3_200_000_000,
  cases: TESTS.cases.map((result, index) => ({
    ...result,
    case: { size: 65_536 * 4 ** index },
    rounds: [
      { candidateNs: [12_300, 12_340, 12_350].map((ns) => ns * 4 ** index), referenceNs: [20_000, 20_100] },
      { candidateNs: [12_320, 12_360, 98_000].map((ns) => ns * 4 ** index), referenceNs: [19_900] },
    ],
    stopped: "rounds",
    score: {
      timeNs: interval(12_340 * 4 ** index),
      referenceNs: interval(20_000 * 4 ** index),
      speedup: interval(1.62),
    },
  })),
};

export const PASSED: RunDetail = {
  id: 3,
  submissionId: 7,
  board: "vectoradd",
  target: "cpu",
  rerun: 0,
  mode: "ranked",
  problemVersion: "0".repeat(64),
  state: "done",
  verdict: "passed",
  failureClass: null,
  message: null,
  detail: null,
  attempt: 1,
  stage: null,
  queuePosition: null,
  expectedWaitMs: null,
  runners: null,
  score: { timeNs: interval(24_680), speedup: interval(1.62) },
  unsandboxed: false,
  legacyHarness: false,
  imported: false,
  createdAt: "2026-03-01T14:05:00.000Z",
  startedAt: "2026-03-01T14:05:01.000Z",
  finishedAt: "2026-03-01T14:05:05.000Z",
  machine: MACHINE,
  regime: "isolated",
  stages: [{ ...TESTS, stage: "prepare", cases: [] }, TESTS, TIMED],
  artifacts: [],
  duel: null,
  inUse: null,
  validation: null,
  review: [
    {
      rule: "clock.read",
      severity: "warning",
      line: 3,
      column: 1,
      sentence: "Review for the owner",
      excerpt: "time.time()",
    },
  ],
};

export const QUEUED: RunDetail = {
  ...PASSED,
  state: "queued",
  verdict: null,
  score: null,
  queuePosition: 4,
  expectedWaitMs: { value: 190_000, low: 130_000, high: 350_000 },
  runners: { status: "online", online: 1, queued: 4, lastSeenAt: null },
  startedAt: null,
  finishedAt: null,
  machine: null,
  regime: "isolated",
  stages: [],
};

export const WRONG: RunDetail = {
  ...PASSED,
  verdict: "failed",
  failureClass: "wrong_result",
  message: "1 of 2 tests failed",
  detail: "Traceback of the owner",
  score: null,
  stages: [
    {
      ...TESTS,
      passed: false,
      output: { head: "printed by the owner", tail: "", droppedBytes: 0 },
      cases: TESTS.cases.map((result, index) =>
        index === 0
          ? result
          : {
              ...result,
              status: "failed",
              mismatch: {
                differing: 1200,
                total: 4096,
                largestAbsolute: 0.51234,
                largestRelative: null,
                first: [{ index: [2896], got: "nan", expected: "1.25" }],
              },
            },
      ),
    },
  ],
};

/** Returns the submission of a run. */
export function submissionOf(run: RunDetail): Submission {
  return {
    id: 7,
    account: { id: "a", name: "ada" },
    board: run.board,
    mode: run.mode,
    rival: null,
    fileName: "fast.py",
    sourceHash: "0".repeat(64),
    problemVersion: run.problemVersion,
    createdAt: run.createdAt,
    author: { kind: "assisted", model: "Model 1" },
    licence: null,
    lastEvent: 12,
    removed: null,
    enteredBy: null,
    imported: null,
    runs: [run],
  };
}

export const ROW: BoardRow = {
  rank: 1,
  account: { id: "a", name: "ada" },
  team: null,
  submissionId: 7,
  runId: 3,
  verification: "confirmed",
  enteredBy: { runId: 2, timeNs: interval(24_000) },
  fileName: "fast.py",
  timeNs: interval(24_680),
  speedup: interval(1.62),
  deltaToNext: null,
  caseTimesNs: [12_340, 49_360],
  speedOfLightShare: 0.81,
  inUse: null,
  submittedAt: "2026-03-01T14:05:00.000Z",
  author: { kind: "autonomous", model: "Model 1" },
  unsandboxed: false,
  legacyHarness: false,
  imported: false,
};

export const BOARD: Board = {
  board: "vectoradd",
  target: "cpu",
  problemVersion: "0".repeat(64),
  revision: 1,
  currentRevision: 1,
  rankingBy: "geom",
  ranking: "time",
  weights: null,
  regime: "isolated",
  applicationGate: null,
  changeNumber: 3,
  cases: ["size: 65536; seed: 1", "size: 1048576; seed: 2"],
  rows: [
    ROW,
    {
      rank: 2,
      account: { id: "b", name: "bob" },
      team: null,
      submissionId: 5,
      runId: 1,
      verification: "provisional",
      enteredBy: null,
      fileName: "reference.py",
      timeNs: interval(40_000),
      speedup: interval(1),
      deltaToNext: interval(1.62),
      caseTimesNs: [20_000, 80_000],
      speedOfLightShare: 0.5,
      inUse: null,
      submittedAt: "2026-02-28T23:59:00.000Z",
      author: { kind: "undeclared", model: null },
      unsandboxed: true,
      legacyHarness: false,
      imported: false,
    },
  ],
  freeze: null,
  unfrozen: false,
};

const MOMENT = "2026-03-01T14:05:00.000Z";

/** Account page in which every text is hostile. */
export const ACCOUNT: AccountPage = {
  visit: visitBy(HOSTILE),
  account: { id: "a", name: HOSTILE, roles: [], banReason: HOSTILE, scopes: ["submit", "read", "account"] },
  identities: [
    { provider: "github", subject: HOSTILE, label: HOSTILE, groups: [HOSTILE], createdAt: MOMENT, lastUsedAt: MOMENT },
  ],
  sessions: [{ id: 1, browser: HOSTILE, address: HOSTILE, createdAt: MOMENT, lastUsedAt: MOMENT, current: false }],
  tokens: [
    {
      id: 2,
      label: HOSTILE,
      scopes: ["submit"],
      targets: [],
      createdAt: MOMENT,
      expiresAt: MOMENT,
      lastUsedAt: null,
      current: false,
    },
  ],
  methods: {
    providers: [
      { name: "github", label: "GitHub" },
      { name: "oidc", label: HOSTILE },
    ],
    email: { domains: [HOSTILE] },
  },
  email: HOSTILE,
  anonymous: false,
  server: "http://kernels.example.org",
};

export const COMPETITION: Competition = {
  name: "spring",
  title: "Spring kernels",
  description: "Faster by spring.",
  visibility: "public",
  startsAt: "2026-03-01T00:00:00.000Z",
  endsAt: "2026-03-06T14:05:00.000Z",
  codeVisibility: "after_end",
  licence: null,
  names: "accounts",
  teamSize: 1,
  freezeAt: null,
  revealAt: null,
  participants: "everyone",
  groups: [],
  limits: {},
  organisers: [{ id: "o", name: "olga" }],
  targets: null,
  problems: [{ name: "vectoradd", targets: null, endsAt: null }],
};

/** Five days before the end of `COMPETITION`. */
export const NOW = new Date("2026-03-01T14:05:00.000Z");

const SIDE: ComparedSubmissions["a"] = {
  submissionId: 7,
  runId: 3,
  account: { id: "a", name: "ada" },
  fileName: "fast.py",
  mode: "ranked",
  createdAt: "2026-03-01T14:05:00.000Z",
};

export const COMPARED: ComparedSubmissions = {
  board: "vectoradd",
  target: "cpu",
  a: SIDE,
  b: { ...SIDE, submissionId: 8, runId: 4, fileName: "slow.py" },
  comparison: {
    basis: "times",
    reason: "the runs have no common reference, so the times on the same machine are compared",
    faster: "a",
    ratio: { value: 1.25, low: 1.18, high: 1.31 },
    cases: TIMED.cases.map((result) => ({
      case: result.case,
      a: result.score,
      b: result.score,
      faster: "a",
      ratio: { value: 1.25, low: 1.18, high: 1.31 },
    })),
    machines: [{ what: "driver", a: "580.1", b: null }],
  },
  diff: [
    {
      lines: [
        { kind: "same", text: "def custom_kernel(data):", a: 1, b: 1 },
        { kind: "removed", text: "    return fast(data)", a: 2, b: null },
        { kind: "added", text: "    return slow(data)", a: null, b: 2 },
      ],
    },
  ],
};

/** Availability of a target with a runner. */
export const ONLINE: TargetAvailability = { status: "online", online: 1, queued: 0, lastSeenAt: null };

/** Renders a board page, with empty or default values for all data that is not given. */
export function shownBoard(board: Board, more: Partial<BoardPage> = {}): Promise<string> {
  const { board: name, target, problemVersion, changeNumber } = board;
  const history = { board: name, target, problemVersion, changeNumber, freeze: null, records: [], entrants: [] };
  const rest = {
    history,
    competition: null,
    targets: [target],
    runners: ONLINE,
    filter: ALL,
    now: NOW,
    visit: ANONYMOUS,
    viewerId: more.visit?.viewer?.id ?? null,
  };
  return boardPage({ board, ...rest, ...more });
}
