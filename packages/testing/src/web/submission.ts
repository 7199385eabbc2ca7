/** Fixtures for page tests: a submission in each state that its page can show. */
import type { Decision, RunDetail, StageResult, Submission } from "@kernelbot/core";
import { CASE, MACHINE, PASSED, QUEUED, ANONYMOUS, submissionOf, TESTS, TIMED, visitBy, WRONG } from "./examples.ts";
import type { SubmissionPage } from "../../../web/src/submission/page-data.ts";

const NOTHING: SubmissionPage["acts"] = { cancel: false, remove: false, again: false, compare: false };

/** Returns the data of a page with these runs for a viewer who is not signed in. */
export function asAnonymous(
  runs: readonly [RunDetail, ...RunDetail[]],
  change: Partial<Submission> = {},
): SubmissionPage {
  return {
    visit: ANONYMOUS,
    submission: { ...submissionOf(runs[0]), mode: runs[0].mode, runs: [...runs], ...change },
    runs,
    isWhole: false,
    isOwn: false,
    competition: null,
    places: [],
    progress: [],
    decisions: [],
    profile: { traces: [], reports: [], omitted: 0 },
    now: new Date(),
    source: null,
    transcript: null,
    others: [],
    acts: NOTHING,
  };
}

/** Returns the data of the same page for the owner, with all actions that are possible. */
export function asOwner(
  runs: readonly [RunDetail, ...RunDetail[]],
  change: Partial<SubmissionPage> = {},
): SubmissionPage {
  return {
    ...asAnonymous(runs),
    visit: visitBy("ada"),
    isWhole: true,
    isOwn: true,
    source: "def custom_kernel(data):\n    return fast(data)\n",
    acts: { cancel: runs.some(({ state }) => state !== "done"), remove: true, again: true, compare: true },
    ...change,
  };
}

export const RUNNING: RunDetail = {
  ...PASSED,
  state: "running",
  verdict: null,
  score: null,
  stage: "ranked",
  finishedAt: null,
  stages: [...PASSED.stages.slice(0, 2), { ...TIMED, passed: null, durationNs: null, cases: [] }],
};

/** Returns a run that failed in its first stage. */
export function failed(
  failureClass: NonNullable<RunDetail["failureClass"]>,
  message: string,
  detail: string | null = null,
): RunDetail {
  const stopped: StageResult = { ...TESTS, stage: "prepare", passed: false, cases: [] };
  return { ...PASSED, verdict: "failed", failureClass, message, detail, score: null, stages: [stopped], review: [] };
}

export const QUARANTINED: RunDetail = {
  ...PASSED,
  verdict: "quarantined",
  score: null,
  message:
    "faster than the hardware allows, so a moderator must review it: case 1 (size: 65536) took 1.000 µs, below its speed-of-light bound of 1.234 µs: at least 61,700 bytes at no more than 50.00 GB/s (measured)",
};

export const REJECTED: Decision = {
  id: 5,
  at: "2026-03-01T15:00:00.000Z",
  act: "reject",
  account: { id: "a", name: "ada" },
  submissionId: 7,
  runId: 3,
  reason: "It keeps the output of the call before.",
  appeal: null,
  answer: null,
};

const H100: RunDetail = {
  ...PASSED,
  id: 4,
  target: "H100",
  score: { timeNs: { value: 8123, low: 8100, high: 8160 }, speedup: { value: 4.41, low: 4.38, high: 4.44 } },
  machine: {
    ...MACHINE,
    accelerators: [
      {
        model: "NVIDIA H100 80GB HBM3",
        memoryBytes: 80 * 2 ** 30,
        architecture: "sm_90",
        clockMhz: 1980,
        measured: null,
      },
    ],
    runtime: "CUDA 13.0",
    driver: "580.65.06",
  },
};

const SPEED_OF_LIGHT = { ns: 1234, by: "memory", amount: 61_700, perS: 5e10, from: "measured" } as const;
const FLOORED: RunDetail = {
  ...PASSED,
  stages: [
    ...PASSED.stages.slice(0, 2),
    { ...TIMED, cases: TIMED.cases.map((each) => ({ ...each, speedOfLight: SPEED_OF_LIGHT })) },
  ],
};

const PLACE = {
  target: "cpu",
  own: { rank: 2, verification: "confirmed", timeNs: { value: 24_810, low: 24_700, high: 24_950 } },
  entries: 14,
  applicationGate: null,
  freeze: null,
  leader: { id: 5, account: "bob" },
  ahead: { rank: 1, account: "bob", timeNs: { value: 12_405, low: 12_300, high: 12_500 } },
} as const;
const COMPETITION = { name: "spring", title: "Spring kernels" };
const ARTIFACT = { mediaType: "text/plain", sizeBytes: 1536, sha256: "0".repeat(64), deletedAt: null } as const;
const removed = (run: RunDetail, by: "owner" | "moderator"): Partial<SubmissionPage> => ({
  submission: {
    ...submissionOf(run),
    removed: { at: "2026-03-02T08:00:00.000Z", by, reason: by === "owner" ? null : "It was copied." },
  },
  acts: { ...NOTHING, again: true, compare: true },
});

/** Data of the page by name of the state. */
export const STATES: Record<string, SubmissionPage> = {
  queued: asOwner([QUEUED]),
  running: asOwner([RUNNING], {
    progress: [
      { runId: 3, since: "2026-03-01T14:05:03.000Z", rounds: { done: 12, total: 40 }, cases: { done: 1, total: 2 } },
    ],
  }),
  passed: asOwner([FLOORED], {
    places: [PLACE],
    competition: COMPETITION,
    others: [
      { id: 4, label: "Your previous submission", target: "cpu" },
      { id: 5, label: "Leader on cpu, by bob", target: "cpu" },
    ],
  }),
  "passed, anonymous": {
    ...asAnonymous([PASSED]),
    places: [
      { ...PLACE, own: { rank: 1, verification: "provisional", timeNs: { value: 24_680, low: 24_430, high: 24_920 } } },
    ],
  },
  "no entry": asOwner([PASSED], { places: [{ ...PLACE, own: null, ahead: null }] }),
  "several targets and a re-run": asOwner([PASSED, H100, { ...PASSED, id: 9, rerun: 1 }], { places: [PLACE] }),
  "compile error": asOwner([
    failed(
      "compile_error",
      "the compiler refused it",
      'kernel.cu(12): error: identifier "blockIdxx" is undefined\n\n1 error detected in the compilation.',
    ),
  ]),
  crash: asOwner([
    {
      ...failed(
        "crash",
        "RuntimeError: out of range in case 2",
        'Traceback (most recent call last):\n  File "fast.py", line 3, in custom_kernel\nRuntimeError: out of range',
      ),
      stages: [
        {
          ...TESTS,
          passed: false,
          cases: [CASE, { ...CASE, index: 1, status: "failed", message: "RuntimeError: out of range" }],
          output: { head: "size 127\n", tail: "size 4096\n", droppedBytes: 12_000 },
        },
      ],
    },
  ]),
  "wrong result": asOwner([WRONG]),
  "wrong result, anonymous": asAnonymous([WRONG]),
  timeout: asOwner([failed("timeout", "stage test took longer than 60 s")]),
  "out of memory": asOwner([failed("out_of_memory", "the kernel needs more than 2 GiB of memory")]),
  rejected: asOwner([failed("rejected", "the kernel wrote its output after it had reported completion")]),
  quarantined: asOwner([QUARANTINED]),
  "quarantined, anonymous": asAnonymous([QUARANTINED]),
  "rejected by a moderator": asOwner(
    [{ ...failed("rejected", `rejected by a moderator: ${REJECTED.reason}`), stages: PASSED.stages }],
    { decisions: [REJECTED] },
  ),
  appealed: asOwner([failed("rejected", `rejected by a moderator: ${REJECTED.reason}`)], {
    decisions: [{ ...REJECTED, appeal: { at: "2026-03-01T16:00:00.000Z", text: "It does not: see line 12." } }],
  }),
  "appeal answered": asOwner([failed("rejected", `rejected by a moderator: ${REJECTED.reason}`)], {
    decisions: [
      {
        ...REJECTED,
        appeal: { at: "2026-03-01T16:00:00.000Z", text: "It does not: see line 12." },
        answer: { at: "2026-03-02T09:00:00.000Z", act: "uphold", reason: "Line 12 is where it does." },
      },
    ],
  }),
  "infra error": asOwner([
    {
      ...PASSED,
      verdict: "infra_error",
      score: null,
      message: "the runner was lost three times",
      attempt: 3,
      stages: PASSED.stages.slice(0, 1),
    },
  ]),
  cancelled: asOwner([{ ...QUEUED, state: "cancelled", queuePosition: null, expectedWaitMs: null }]),
  duel: asOwner(
    [
      {
        ...PASSED,
        mode: "duel",
        score: null,
        stages: [...PASSED.stages.slice(0, 2), { ...TIMED, stage: "duel", cases: [] }],
        duel: {
          winner: "a",
          faster: "a",
          ratio: { value: 1.25, low: 1.18, high: 1.31 },
          failures: { a: null, b: null },
          cases: TIMED.cases.map((each) => ({
            case: each.case,
            a: each.score,
            b: each.score,
            faster: "a",
            ratio: { value: 1.25, low: 1.18, high: 1.31 },
          })),
        },
      },
    ],
    {
      submission: { ...submissionOf(PASSED), mode: "duel", rival: { fileName: "slow.py", sourceHash: "0".repeat(64) } },
    },
  ),
  profile: asOwner([
    {
      ...PASSED,
      mode: "profile",
      score: null,
      stages: [
        { ...TESTS, stage: "prepare", cases: [] },
        { ...TESTS, stage: "profile", cases: [] },
      ],
      artifacts: [
        { ...ARTIFACT, name: "profile.0.txt" },
        { ...ARTIFACT, name: "profile.1.txt", deletedAt: "2026-04-01T00:00:00.000Z" },
      ],
    },
  ]),
  "legacy harness": asOwner([
    {
      ...PASSED,
      legacyHarness: true,
      score: { timeNs: PASSED.score?.timeNs ?? { value: 1, low: 1, high: 1 }, speedup: null },
      stages: [
        ...PASSED.stages.slice(0, 2),
        {
          ...TIMED,
          cases: TIMED.cases.map((each) => ({
            ...each,
            rounds: [],
            score: each.score && { ...each.score, referenceNs: null, speedup: null },
          })),
        },
      ],
    },
  ]),
  "not validated in use": asOwner([
    {
      ...PASSED,
      inUse: {
        ...{
          state: "not_validated",
          held: 2,
          reason: "application case 3 (n: 4097): unstable: in call 3, 12 outputs are not finite",
        },
        ...{
          speedup: { value: 1.24, low: 1.21, high: 1.29 },
          checkedAt: "2026-03-01T15:00:00.000Z",
          unsandboxed: false,
        },
        cases: [
          { verdict: "holds", slower: false, message: null, case: { n: 32 } },
          { verdict: "holds", slower: true, message: null, case: { n: 77 } },
          {
            verdict: "unstable",
            slower: false,
            message: "unstable: in call 3, 12 outputs are not finite",
            case: { n: 4097 },
          },
          { verdict: "not_run", slower: false, message: "an earlier case ended the stage", case: { n: 8192 } },
        ],
      },
    },
  ]),
  unsandboxed: asOwner([{ ...PASSED, unsandboxed: true, machine: { ...MACHINE, sandbox: "none" } }]),
  "removed by its owner": asOwner([PASSED], removed(PASSED, "owner")),
  "removed by a moderator": asOwner([PASSED], {
    ...removed(PASSED, "moderator"),
    decisions: [{ ...REJECTED, act: "remove", runId: null, reason: "It was copied." }],
  }),
  "failed action": asOwner([PASSED], {
    problem:
      "the board vectoradd was closed at 2026-03-06T14:05:00.000Z, so its results cannot change; ask a moderator",
  }),
};
