import { api } from "@kernelbot/api";
import {
  compareRuns,
  ComparedSubmissions,
  KernelBotError,
  quote,
  compareTargets,
  type RunDetail,
  type Submission,
} from "@kernelbot/core";
import type { z } from "zod";
import { compute } from "../../compute/pool.ts";
import type { Comparable } from "../../compute/tasks.ts";
import type { Identity } from "../../auth/identity.ts";
import { throttle, type Limit } from "../../auth/rate-limits.ts";
import { sourceRefusal } from "../source-access.ts";
import { readRun, readSource } from "../views.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Services } from "../../services.ts";
import { noSubmission, findWholeSubmission, publicPart } from "./submissions.ts";

/** The two submissions to compare, and the target. */
type ComparedQuery = z.infer<typeof api.submissions.compare.query>;

/** Limit of comparisons per account; each takes up to one second of CPU time. */
const COMPARISONS: Limit = { times: 30, windowS: 60, what: "to compare submissions" };

export const compareEndpoints = [
  endpoint(api.submissions.compare, async ({ c, services, identity, query }) => {
    const comparison = await compute("comparison", await compareSubmissions(services, identity, query));
    return c.body(comparison, 200, { "content-type": "application/json", "cache-control": "private, no-store" });
  }),
];

/**
 * Reads two submissions and compares their runs on one target.
 * @throws KernelBotError where the caller may not read both sources, where the submissions have no problem or target in
 * common, or where the account exceeds the limit.
 */
export async function compareSubmissions(
  services: Services,
  identity: Identity,
  requested: ComparedQuery,
): Promise<Comparable> {
  const [{ submission: a, isOwn: isOwnA }, { submission: b, isOwn: isOwnB }] = [
    await getReadableSubmission(services, identity, requested.a),
    await getReadableSubmission(services, identity, requested.b),
  ];
  if (a.board !== b.board) {
    throw new KernelBotError(
      "unprocessable",
      `submission ${a.id} is for ${a.board} and ${b.id} for ${b.board}; only kernels for one problem can be compared`,
    );
  }
  const target = commonTarget(a, b, requested.target);
  await throttle(services.database, "compare", identity.account.id, COMPARISONS);
  const [runA, runB, sourceA, sourceB] = await Promise.all([
    runOn(services, a, target),
    runOn(services, b, target),
    readSource(services.database, a.id),
    readSource(services.database, b.id),
  ]);
  const comparison = compareRuns(runA, runB);
  // Host names belong to the operator of the machine; receipts do not contain them either.
  const machines = comparison.machines.filter(({ what }) => what !== "host" || (isOwnA && isOwnB));
  const sources = { a: sourceA ?? "", b: sourceB ?? "" };
  const compared = {
    board: a.board,
    target,
    a: sideOf(a, runA),
    b: sideOf(b, runB),
    comparison: { ...comparison, machines },
  };
  return { compared, sources };
}

/**
 * Returns a submission whose source the caller may read: their own, any for a moderator, and others' that the
 * competition rules have opened.
 * @throws KernelBotError `gone` if the source was deleted; `not_found` otherwise.
 */
async function getReadableSubmission(
  services: Services,
  identity: Identity,
  id: number,
): Promise<{ submission: Submission; isOwn: boolean }> {
  const refusal = await sourceRefusal(services.database, identity, id);
  if (refusal?.code === "gone") throw refusal;
  const own = await findWholeSubmission(services, identity, id);
  if (own !== null) return { submission: own.submission, isOwn: true };
  const found = await services.reads.visibleSubmission(identity, id);
  if (found === null || refusal !== null) throw noSubmission(id);
  return { submission: publicPart(found.submission), isOwn: false };
}

function commonTarget(a: Submission, b: Submission, requested: string | undefined): string {
  // A submission that was re-run has several runs on one target.
  const targets = new Set(a.runs.map(({ target }) => target));
  const common = [...targets].filter((target) => b.runs.some((run) => run.target === target)).toSorted(compareTargets);
  const which =
    common.length === 0 ? "they have no target in common" : `their common targets are ${common.join(" and ")}`;
  if (requested !== undefined && !common.includes(requested)) {
    throw new KernelBotError(
      "unprocessable",
      `${quote(requested)} is not a target of both ${a.id} and ${b.id}: ${which}`,
    );
  }
  const target = requested ?? common[0];
  if (target === undefined || (requested === undefined && common.length > 1)) {
    throw new KernelBotError("unprocessable", `name the target on which to compare ${a.id} and ${b.id}: ${which}`);
  }
  return target;
}

async function runOn({ database }: Services, submission: Submission, target: string): Promise<RunDetail> {
  const run = await readRun(database, submission.runs.find((run) => run.target === target)?.id ?? 0);
  if (run === null) throw new KernelBotError("internal", `submission ${submission.id} has no run on ${target}`);
  return run;
}

function sideOf({ id, account, fileName, mode, createdAt }: Submission, run: RunDetail): ComparedSubmissions["a"] {
  return { submissionId: id, runId: run.id, account, fileName, mode, createdAt };
}
