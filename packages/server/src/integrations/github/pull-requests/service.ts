/** Background processing of pull requests. Servers share the work through the database. */
import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../../../db/database.ts";
import { GitHubError } from "../client.ts";
import { forgetDeliveries } from "./deliveries.ts";
import { accountIdentity, openEvaluation } from "./evaluation.ts";
import { openGitHub } from "./github.ts";
import type { PullRequestOptions } from "./options.ts";
import { claimPull, postponePull, releasePull, type PullRow } from "./queue.ts";
import type { Tools } from "./rows.ts";
import { giveUpWork, PROGRESS_MS, workOff } from "./process.ts";

const TICK_MS = 1000;
const FORGET_MS = 3_600_000;

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
  let lastForgot = -Infinity;

  async function tick(): Promise<void> {
    try {
      await workOffDue(tools, { signal });
      if (performance.now() - lastForgot < FORGET_MS) return;
      await forgetDeliveries(database, new Date());
      lastForgot = performance.now();
    } catch (error) {
      if (!signal.aborted) database.log(`pull requests will be tried again: ${String(error)}`);
    }
  }

  const running = (async () => {
    while (!signal.aborted) {
      await tick();
      // Rejects when stopped; the loop checks the signal.
      await pause(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stopped.abort();
    await running;
  };
}

/** Processes all pull requests that are due, one after another. */
export async function workOffDue(
  tools: Tools,
  { signal, clock = () => new Date() }: { signal?: AbortSignal; clock?: () => Date } = {},
): Promise<void> {
  while (signal?.aborted !== true) {
    const pull = await claimPull(tools.database, clock());
    if (pull === undefined) return;
    try {
      const goesOn = await workOff(tools, pull, clock);
      const now = clock();
      await releasePull(tools.database, pull, goesOn ? new Date(now.getTime() + PROGRESS_MS) : null, now);
    } catch (error) {
      await failed(tools, pull, error, clock());
    }
  }
}

async function failed(tools: Tools, pull: PullRow, error: unknown, now: Date): Promise<void> {
  const { database } = tools;
  const what = error instanceof Error ? error.message : String(error);
  const waitMs = error instanceof GitHubError ? error.waitMs : 0;
  const later = await postponePull(database, pull, what, (tries) => Math.max(retryMs(tries), waitMs), now);
  const which = `${pull.repository}#${pull.number}`;
  database.log(
    `pull request ${which} ${later ? "will be tried again" : "is given up, have GitHub send it again"}: ${what}`,
  );
  if (later) return;
  await giveUpWork(tools, pull, what).catch((reason: unknown) => {
    database.log(`pull request ${which} could not be told that it is given up: ${String(reason)}`);
  });
}

/**
 * Returns the delay after the nth failed try, half of it to the whole of 5 s, 10 s, 20 s, … up to 15 min. The jitter
 * separates pull requests that failed together.
 */
function retryMs(tries: number): number {
  return Math.min(5000 * 2 ** (tries - 1), 900_000) * (0.5 + Math.random() / 2);
}
