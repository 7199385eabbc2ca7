import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@kernelbot/api";
import { formatAllowance, KernelBotError, type Submission, type SubmitRequest } from "@kernelbot/core";

/** Pauses between tries while a server restarts, in ms; the client itself retries a few times in each. */
const PAUSES_MS = [500, 1000, 2000, 4000];

/**
 * Submits a file under one idempotency key over all retries, so that a lost response does not create a second
 * submission.
 * @param onWait called once, before the first pause
 */
export async function submitWithRetry(client: Client, request: SubmitRequest, onWait: () => void): Promise<Submission> {
  const idempotencyKey = crypto.randomUUID();
  return withRetry(() => client.submit(request, { idempotencyKey }), onWait);
}

/**
 * Returns the remaining allowance of each limit, in sentences; empty when the server does not report it or the request
 * fails.
 */
export async function remainingLimits(client: Client, { board, mode }: Submission): Promise<string[]> {
  const { own } = await client.limits(board).catch(() => ({ own: null }));
  return (own ?? [])
    .filter((allowance) => allowance.mode === mode)
    .map((allowance) => `${formatAllowance(allowance)}.`);
}

/** Returns the notice that a request is repeated. */
export function retryNotice(server: string): string {
  return `The server at ${server} does not respond; retrying for some seconds.`;
}

/** Repeats an idempotent request while the server is unavailable, with pauses. */
export async function withRetry<T>(send: () => Promise<T>, onWait: () => void): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const pause = PAUSES_MS[tries];
      if (!(error instanceof KernelBotError && error.code === "unavailable") || pause === undefined) throw error;
      if (tries === 0) onWait();
      await sleep(pause);
    }
  }
}
