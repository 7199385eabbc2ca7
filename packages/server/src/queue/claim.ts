import type { ClaimResponse, Claimed, ClaimRequest } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { perDatabase } from "../db/per-database.ts";
import { recordMilestone } from "../observe/milestones.ts";
import { markRunnerDisconnected, findCommand, requireTarget } from "../runners/join.ts";
import { DEFAULT_POLICY, type RunnerPolicy } from "../runners/policy.ts";
import type { LeaseOptions } from "../runs/lease-duration.ts";
import { runnerLine } from "../runners/presence.ts";
import { claimRun, joinAndClaim, releaseRun } from "./lease.ts";
import { createWaiters } from "./waiting-runners.ts";

/**
 * Claims the next run of a target. Waits up to `request.waitMs` for a run to be queued.
 * @param signal Aborts the wait: the runner disconnected, or the server stops.
 * @returns a run, or a command if the runner has to do something else; null on timeout or abort. A run that is claimed
 * after the abort is put back into the queue.
 * @throws the errors of `joinAndClaim`.
 */
export async function waitForWork(
  database: Database,
  identity: Identity,
  request: ClaimRequest,
  signal?: AbortSignal,
  { policy = DEFAULT_POLICY, ...lease }: LeaseOptions & { policy?: RunnerPolicy } = {},
): Promise<ClaimResponse | null> {
  requireTarget(identity, request.target);
  const waiters = await waitersOf(database);
  const giveUpAt = performance.now() + request.waitMs;
  const { runner, claimed } = await measureQueueRead(() =>
    joinAndClaim(database, identity, request, { ...lease, policy }),
  );
  if (claimed !== null) return deliver(claimed);
  while (!isAborted(signal)) {
    // Start waiting before reading the queue, so that a run queued in between is not missed.
    const turn = waiters.wait(request.target);
    const call = waiters.wait(runnerLine(runner.id));
    try {
      const next = await measureQueueRead(async () => ({
        claimed: await claimRun(database, identity, request, lease),
      }));
      if (next.claimed !== null) return await deliver(next.claimed);
      const command = isAborted(signal) ? null : await findCommand(database, runner.id, request);
      if (command !== null) {
        turn.passOn();
        return command;
      }
      const left = giveUpAt - performance.now();
      if (
        left > 0 &&
        (await waitWithTimeout(Promise.race([turn.woken, call.woken]), left, signal)) &&
        !isAborted(signal)
      )
        continue;
      turn.passOn();
      if (isAborted(signal)) break;
      return null;
    } finally {
      turn.leave();
      call.leave();
    }
  }
  await markRunnerDisconnected(database, runner);
  return null;

  async function deliver(run: Claimed): Promise<Claimed | null> {
    // More runs may be queued: wake the next waiting runner.
    waiters.wakeOne(request.target);
    if (!isAborted(signal)) return run;
    await releaseRun(database, run);
    await markRunnerDisconnected(database, runner);
    return null;
  }
}

async function measureQueueRead<Found extends { claimed: Claimed | null }>(look: () => Promise<Found>): Promise<Found> {
  const startedAt = performance.now();
  const found = await look();
  recordMilestone({ type: "queue_read", found: found.claimed !== null, ms: performance.now() - startedAt });
  return found;
}

const waitersOf = perDatabase(async (database) => {
  const waiters = createWaiters();
  await database.listen("queue", {
    onNotify: (target) => waiters.wakeOne(target),
    // Notifications sent while the connection was lost are not repeated.
    onConnected: () => waiters.wakeAll(),
  });
  return waiters;
});

/** A function, because TypeScript narrows `signal.aborted` to false after the first check. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Returns whether a promise resolves within `ms` milliseconds and before the signal is aborted. */
async function waitWithTimeout(promise: Promise<void>, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<false>();
  const end = (): void => resolve(false);
  const timer = setTimeout(end, ms);
  signal?.addEventListener("abort", end);
  if (isAborted(signal)) end();
  try {
    return await Promise.race([promise.then(() => true), over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}
