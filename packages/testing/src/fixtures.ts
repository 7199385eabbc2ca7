/** Accounts, problems and runners for tests of the server. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import {
  STAGES_OF_MODE,
  type Claimed,
  type ClaimRequest,
  type FailureClass,
  type JudgeEvent,
  type Machine,
  type RunReport,
  type ReportResponse,
  type RunMode,
  type Rounds,
  type HarnessSummary,
  type Stage,
  type SubmitRequest,
  type Validation,
} from "@kernelbot/core";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Identity, Role, Scope } from "@kernelbot/server/src/auth/identity.ts";
import { authenticate, createAccount, issueToken } from "@kernelbot/server/src/auth/tokens.ts";
import { submit } from "@kernelbot/server/src/submissions/submit.ts";
import { waitForWork } from "@kernelbot/server/src/queue/claim.ts";
import { claimRun } from "@kernelbot/server/src/queue/lease.ts";
import type { LeaseOptions } from "@kernelbot/server/src/runs/lease-duration.ts";
import { report as reportSigned } from "@kernelbot/server/src/runs/report.ts";
import { applicationProblemFiles, problemFiles, writeProblems } from "./example-problems.ts";
import { H100, MACHINE } from "./machine.ts";
import { testSigner } from "./signer.ts";

export { applicationProblemFiles, H100, MACHINE, problemFiles };

/** Writes SET/PROBLEM directories into a new folder; returns the folder. */
export function problemTree(problems: Record<string, Record<string, string>>): string {
  const root = mkdtempSync(join(inject("scratch"), "problems-"));
  writeProblems(root, problems);
  return root;
}

export async function person(
  database: Database,
  name: string,
  scopes: Scope[] = ["submit", "read", "account"],
  roles: Role[] = scopes.includes("admin") ? ["administrator"] : [],
): Promise<Identity> {
  const account = await createAccount(database, name, roles);
  return authenticate(database, await issueToken(database, { accountId: account.id, label: "test", scopes }));
}

export async function runner(database: Database, targets = ["cpu", "H100"]): Promise<Identity> {
  const account = await createAccount(database, `runner-${Math.random()}`);
  const token = await issueToken(database, { accountId: account.id, label: "test", scopes: ["runner"], targets });
  return authenticate(database, token);
}

export function request(change: Partial<SubmitRequest> = {}): SubmitRequest {
  return { board: "double", targets: ["cpu"], mode: "test", fileName: "kernel.py", source: "pass\n", ...change };
}

/** Submits; returns the submission id. */
export async function submitted(
  database: Database,
  identity: Identity,
  change: Partial<SubmitRequest> = {},
): Promise<number> {
  return (await submit(database, identity, request(change))).submission.id;
}

export async function claimed(
  database: Database,
  identity: Identity,
  target = "cpu",
  options: LeaseOptions & { machine?: Machine } = {},
): Promise<Claimed> {
  const { machine = MACHINE, ...lease } = options;
  const run = await claimRun(database, identity, { target, runner: "box", machine, waitMs: 0 }, lease);
  if (run === null) throw new Error(`no run is queued for ${target}`);
  return run;
}

/** Waits for the next run like the runner's route; an order is an error. */
export async function claimWait(
  database: Database,
  identity: Identity,
  request: ClaimRequest,
  signal?: AbortSignal,
  lease?: LeaseOptions,
): Promise<Claimed | null> {
  const answer = await waitForWork(database, identity, request, signal, lease);
  if (answer !== null && "order" in answer) throw new Error(`runner command: ${answer.order}, ${answer.reason}`);
  return answer;
}

/** Returns rounds in which all calls took the same time, in nanoseconds. */
export function rounds(candidateNs: number, referenceNs = 1000, count = 8): Rounds {
  return Array.from({ length: count }, () => ({ candidateNs: [candidateNs], referenceNs: [referenceNs] }));
}

export function caseFinished(stage: Stage, index: number, samples: Rounds = []): JudgeEvent {
  return {
    type: "case_finished",
    stage,
    index,
    case: { size: 8 * 2 ** index, seed: 2 + index },
    status: "passed",
    message: null,
    mismatch: null,
    bytes: null,
    operations: null,
    outputBytes: null,
    rounds: samples,
    summary: null,
    stopped: null,
  };
}

/** Returns all events of a run that passes; the timed cases take the given times, in nanoseconds. */
export function passing(mode: RunMode, timesNs: readonly number[] = [100, 100]): JudgeEvent[] {
  return [
    ...STAGES_OF_MODE[mode].flatMap((stage): JudgeEvent[] => [
      { type: "stage_started", stage, cases: timesNs.length },
      ...(stage === "prepare"
        ? []
        : timesNs.map((ns, index) => caseFinished(stage, index, stage === "test" ? [] : rounds(ns)))),
      { type: "stage_finished", stage, passed: true, durationNs: 1000 },
    ]),
    { type: "verdict", verdict: "passed", failureClass: null, message: null, detail: null },
  ];
}

/** Returns all events of a run of mode `application`, by default of a kernel that works in both cases. */
export function inApplication(change: Partial<Validation> = {}): JudgeEvent[] {
  const holds = { verdict: "holds", slower: false, message: null } as const;
  const unstable = {
    verdict: "unstable",
    slower: false,
    message: "unstable: in call 3, the output is not finite",
  } as const;
  const isValidated = (change.state ?? "validated") === "validated";
  const validation: Validation = {
    ...{ state: "validated", reason: null, held: 2, speedup: { value: 1.5, low: 1.4, high: 1.6 } },
    ...{ cases: [holds, isValidated ? holds : unstable] },
    ...change,
  };
  const events = passing("application")
    .slice(0, -1)
    .map((event) =>
      event.type === "case_finished" && !isValidated && event.index > 0
        ? { ...event, status: "failed" as const }
        : event,
    );
  const ended = isValidated
    ? ({ verdict: "passed", failureClass: null, message: null } as const)
    : ({ verdict: "failed", failureClass: "wrong_result", message: validation.reason } as const);
  return [...events, { type: "verdict", detail: null, validation, ...ended }];
}

export function failing(failureClass: FailureClass, message = "the output is incorrect"): JudgeEvent[] {
  return [{ type: "verdict", verdict: "failed", failureClass, message, detail: null }];
}

export const JUDGE_FAILED: JudgeEvent[] = [
  { type: "verdict", verdict: "infra_error", failureClass: null, message: "the judge fell over", detail: null },
];

/** Reports like the runner's route. */
export async function report(
  database: Database,
  identity: Identity,
  runId: number,
  reported: RunReport,
  lease: LeaseOptions = {},
): Promise<ReportResponse> {
  return reportSigned(database, identity, runId, reported, { signer: await testSigner(database), ...lease });
}

/** Reports the events of a whole attempt. */
export async function reported(
  database: Database,
  identity: Identity,
  run: Pick<Claimed, "runId" | "attempt">,
  events: JudgeEvent[],
): Promise<ReportResponse> {
  return report(database, identity, run.runId, { attempt: run.attempt, from: 0, events });
}

/** Submits, claims and reports a ranked run with this time in both cases. Returns the submission id. */
export async function ranked(
  database: Database,
  who: Identity,
  by: Identity,
  timeNs: number,
  change: Partial<SubmitRequest> = {},
): Promise<number> {
  const id = await submitted(database, who, { mode: "ranked", ...change });
  await reported(database, by, await claimed(database, by, change.targets?.[0]), passing("ranked", [timeNs, timeNs]));
  return id;
}

/** Returns the files of a problem with its own harness; its two cases are ranked by their mean. */
export function legacyProblemFiles(): Record<string, string> {
  const harness = `
files: [{ name: submission.py, source: "@SUBMISSION@" }, { name: eval.py, source: eval.py }]
config: { main: eval.py }
`;
  return { ...problemFiles((task) => task + harness), "eval.py": "# the harness\n" };
}

/** Returns all events of a ranked run that a legacy harness times; null for a case that the harness omits. */
export function passingByHarness(meansNs: readonly (number | null)[], errNs: number): JudgeEvent[] {
  return passing(
    "ranked",
    meansNs.map((mean) => mean ?? 0),
  ).map((event) => {
    if (event.type !== "case_finished" || event.stage !== "ranked") return event;
    const mean = meansNs[event.index];
    return mean === null
      ? { ...event, status: "skipped", rounds: [] }
      : { ...event, rounds: [], summary: summaryOf(mean ?? 0, errNs) };
  });
}

function summaryOf(meanNs: number, errNs: number): HarnessSummary {
  return { runs: 9, meanNs, errNs, stdNs: 3 * errNs, bestNs: meanNs / 2, worstNs: meanNs };
}
