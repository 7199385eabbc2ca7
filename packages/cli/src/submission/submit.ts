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

/** How to follow a submission that the caller may not read. */
export const NO_SCOPE_READ =
  "This token lacks the scope read, so the result is on the page, or with kernelbot watch under a token that has it";

/** Returns whether the caller may read a submission of their own: a token may be limited to the scope submit. */
export async function mayRead(client: Client, { id }: Submission): Promise<boolean> {
  try {
    await client.submission(id);
    return true;
  } catch (error) {
    // Watching it reports any other failure.
    return !(error instanceof KernelBotError && error.code === "forbidden");
  }
}

/** Returns the notice that a request is repeated. */
export function retryNotice(server: string): string {
  return `The server at ${server} does not respond; retrying for some seconds.`;
}

/**
 * Repeats an idempotent request while the server cannot be reached, with pauses. The client itself waits for a server
 * that responds that it is not available.
 */
export async function withRetry<T>(send: () => Promise<T>, onWait: () => void): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const pause = PAUSES_MS[tries];
      const isSilent =
        error instanceof KernelBotError && error.code === "unavailable" && error.retryAfterS === undefined;
      if (!isSilent || pause === undefined) throw error;
      if (tries === 0) onWait();
      await sleep(pause);
    }
  }
}
