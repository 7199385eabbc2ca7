/** Judges a changed kernel against its base: in a duel on a leaderboard, or by two evaluations of one's own problem. */
import {
  BETWEEN_SESSIONS,
  caseLine,
  formatDuel,
  formatRelation,
  independentRatio,
  KernelBotError,
  relationFromRatio,
  type Evaluation,
  type Estimate,
  type RunDetail,
  type Side,
} from "@kernelbot/core";
import { readProblemFolder } from "@kernelbot/tester/problem-tree";
import { UsageError } from "../command/exit.ts";
import type { Connection } from "../config/config.ts";
import { sanitize } from "../output/text.ts";
import { findDestination, wantedDestination } from "../submission/destination.ts";
import { toEvaluationRequest } from "../submission/evaluation.ts";
import { retryNotice, submitWithRetry } from "../submission/submit.ts";
import { withResume } from "../submission/resume.ts";
import { follow } from "../submission/watch.ts";
import type { ChangedKernel } from "./changed-kernels.ts";

/** Result of a changed kernel on one target. Side A is the change, side B its base. */
export interface JudgedKernel {
  path: string;
  /** Leaderboard or problem directory. */
  problem: string;
  target: string;
  /** Page of the duel; null for evaluations. */
  page: string | null;
  /** Whether the change passed; null if the platform could not judge it. */
  correct: boolean | null;
  /** The side that is faster with 95 % confidence; null if neither is. */
  faster: Side | null;
  /** Speedup of the change over the base, with its 95 % confidence interval. */
  ratio: Estimate | null;
  /** The verdict. */
  sentence: string;
  /** Why the change failed. */
  message: string | null;
  cases: { case: string; base: Estimate | null; change: Estimate | null; ratio: Estimate | null }[];
}

export type Judge = (kernel: ChangedKernel) => Promise<JudgedKernel[]>;

/** Longest time in the queue that the server accepts, in seconds. */
const MAX_DEADLINE_S = 7 * 24 * 3600;

const NAMES = { a: "the change", b: "the base" };

export function openBoardDuels(
  connection: Connection,
  { target, timeoutMs, json }: { target: string | undefined; timeoutMs: number; json: boolean },
): Judge {
  const { client, pageOf, server } = connection;
  return reportFailures(target, async ({ path, fileName, head, base }) => {
    const targets = target === undefined ? [] : [target];
    const destination = await findDestination(client, head, { board: undefined, targets });
    const request = {
      ...destination,
      mode: "duel",
      fileName,
      source: head,
      rival: { fileName, source: base },
    } as const;
    const submission = await submitWithRetry(client, request, () => console.error(retryNotice(server)));
    const next = `Duel ${submission.id} continues. To resume watching: kernelbot watch ${submission.id}`;
    const details = await withResume(next, async () => {
      await follow(client, submission, { json, runnerTimeoutMs: timeoutMs });
      const { runs } = await client.submission(submission.id);
      return Promise.all(runs.map(({ id }) => client.run(id)));
    });
    return details.map((run) => toJudgedKernel(path, pageOf(submission.id), sanitize(run)));
  });
}

function toJudgedKernel(path: string, page: string, run: RunDetail): JudgedKernel {
  const { board: problem, target, duel, message } = run;
  const place = { path, problem, target, page };
  if (duel === null || run.state !== "done" || run.verdict === "infra_error") {
    return unjudged(place, message ?? `The duel is ${run.state}.`);
  }
  return {
    ...place,
    correct: duel.failures.a === null,
    faster: duel.winner,
    ratio: duel.ratio,
    sentence: formatDuel(duel, NAMES),
    message: duel.failures.a?.message ?? null,
    cases: duel.cases.map(({ case: values, a, b, ratio }) => ({
      case: caseLine(values),
      base: b?.timeNs ?? null,
      change: a?.timeNs ?? null,
      ratio,
    })),
  };
}

export function openProblemDuels(
  { client }: Connection,
  { target, problem: folder, timeoutMs }: { target: string | undefined; problem: string; timeoutMs: number },
): Judge {
  const deadlineSeconds = Math.min(MAX_DEADLINE_S, Math.ceil(timeoutMs / 1000));
  return reportFailures(target, async ({ path, fileName, head, base }) => {
    const { targets } = wantedDestination(head, { board: undefined, targets: target === undefined ? [] : [target] });
    const upload = await client.evaluations.uploadProblem(await readProblemFolder(folder, targets));
    const [only, ...others] = targets.length > 0 ? targets : upload.targets;
    if (only === undefined || others.length > 0) throw new UsageError("name one target with --target");
    const evaluate = (code: string) =>
      client.evaluations.evaluate({
        ...toEvaluationRequest(fileName, code, {
          ...{ problem: upload.problem, target: only, level: "reward", fresh: false },
          ...{ rule: undefined, session: undefined },
        }),
        priority: "interactive",
        deadlineSeconds,
      });
    const [change, before] = sanitize(await Promise.all([evaluate(head), evaluate(base)]));
    return [compareEvaluations({ path, problem: folder, target: only, page: null }, change, before)];
  });
}

function compareEvaluations(place: Place, change: Evaluation, before: Evaluation): JudgedKernel {
  const correct = outcomeOf(change);
  if (correct === null) return unjudged(place, change.feedback ?? `The evaluation is ${change.state}.`);
  const { speedup: a } = change;
  const { speedup: b } = before;
  const relation = relationFromRatio(
    a === null || b === null ? null : independentRatio(toEstimate(a), toEstimate(b), BETWEEN_SESSIONS),
  );
  const wasCorrect = outcomeOf(before);
  const sentence = !correct
    ? "The change failed"
    : wasCorrect === false
      ? "The change passed, and the base failed"
      : `${formatRelation(relation, NAMES)}, measured in two sessions`;
  return { ...place, correct, ...relation, sentence, message: correct ? null : change.feedback, cases: [] };
}

function toEstimate({ low, mid, high }: NonNullable<Evaluation["speedup"]>): Estimate {
  return { value: mid, low, high };
}

function outcomeOf({ outcome }: Evaluation): boolean | null {
  return outcome === null || outcome === "infra_error" ? null : outcome === "passed";
}

type Place = Pick<JudgedKernel, "path" | "problem" | "target" | "page">;

function unjudged(place: Place, sentence: string): JudgedKernel {
  return { ...place, correct: null, faster: null, ratio: null, sentence, message: null, cases: [] };
}

/** Reports a kernel that the server refuses as not judged, so that the others are. */
function reportFailures(target: string | undefined, judge: Judge): Judge {
  return async (kernel) => {
    const place = { path: kernel.path, problem: "", target: target ?? "", page: null };
    if (kernel.fault !== null) return [unjudged(place, kernel.fault)];
    try {
      return await judge(kernel);
    } catch (error) {
      const isOfKernel =
        error instanceof UsageError || (error instanceof KernelBotError && error.status < 500 && error.status !== 401);
      if (!isOfKernel) throw error;
      return [unjudged(place, sanitize(error.message))];
    }
  };
}
