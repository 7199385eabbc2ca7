/** Background processing of pull requests. Servers share the work through the database. */
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { backoffMs } from "@kernelbot/server/src/jobs/backoff.ts";
import { startPeriodicJobs } from "@kernelbot/server/src/jobs/periodic.ts";
import { workOffDue } from "@kernelbot/server/src/jobs/workers.ts";
import { GitHubError } from "@kernelbot/server/src/integrations/github/client.ts";
import { deleteOldDeliveries } from "./deliveries.ts";
import { accountIdentity, openEvaluation } from "./evaluation.ts";
import { openGitHub } from "./github.ts";
import type { PullRequestOptions } from "./options.ts";
import { claimPull, LEASE_MS, postponePull, releasePull, type PullRow } from "./queue.ts";
import type { Tools } from "./pull-state.ts";
import { abandonPull, PROGRESS_MS, advancePull } from "./process.ts";

const FORGET_MS = 3_600_000;
/** 5 s, 10 s, 20 s, … up to 15 min. */
const BACKOFF = { firstMs: 5000, maxMs: 900_000 };

/**
 * Starts processing deliveries.
 * @returns a function that stops it and aborts pending requests to GitHub, which are repeated after the next start.
 * @throws KernelBotError `not_found` when the account does not exist.
 */
export async function startPullRequests(
  database: Database,
  options: PullRequestOptions,
  publicUrl: string,
): Promise<() => Promise<void>> {
  const stopped = new AbortController();
  const { signal } = stopped;
  await accountIdentity(database, options.account);
  const evaluation = openEvaluation(database, options);
  const tools = { database, evaluation, publicUrl, github: await openGitHub(options, signal) };
  const jobs = startPeriodicJobs(database, [
    { name: "process pull requests", everyMs: 0, long: true, run: () => processDuePulls(tools, { signal }) },
    { name: "delete old GitHub deliveries", everyMs: FORGET_MS, run: () => deleteOldDeliveries(database, new Date()) },
  ]);
  return async () => {
    stopped.abort();
    await jobs.stop();
  };
}

/** Processes all pull requests that are due, one after another. */
export async function processDuePulls(
  tools: Tools,
  {
    signal = new AbortController().signal,
    clock = () => new Date(),
  }: { signal?: AbortSignal; clock?: () => Date } = {},
): Promise<void> {
  await workOffDue({
    name: "processing a pull request",
    slowMs: LEASE_MS,
    claim: () => claimPull(tools.database, clock()),
    work: (pull) => processPull(tools, pull, clock),
    signal,
    log: tools.database.log,
  });
}

async function processPull(tools: Tools, pull: PullRow, clock: () => Date): Promise<void> {
  try {
    const continues = await advancePull(tools, pull, clock);
    const now = clock();
    await releasePull(tools.database, pull, continues ? new Date(now.getTime() + PROGRESS_MS) : null, now);
  } catch (error) {
    await handleFailure(tools, pull, error, clock());
  }
}

async function handleFailure(tools: Tools, pull: PullRow, error: unknown, now: Date): Promise<void> {
  const { database } = tools;
  const what = error instanceof Error ? error.message : String(error);
  const waitMs = error instanceof GitHubError ? error.waitMs : 0;
  const delayMs = Math.max(backoffMs(BACKOFF, pull.tries + 1), waitMs);
  const later = await postponePull(database, pull, what, delayMs, now);
  const which = `${pull.repository}#${pull.number}`;
  database.log(
    `pull request ${which} failed, ${later ? "retrying" : "giving up; redeliver the event on the App's page"}: ${what}`,
  );
  if (later) return;
  await abandonPull(tools, pull, what).catch((reason: unknown) => {
    database.log(`pull request ${which}: reporting the failure on GitHub handleFailure: ${String(reason)}`);
  });
}
