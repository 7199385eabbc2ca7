/** Retry delays and limits. Jitter separates deliveries that failed together. */

import { backoffMs } from "../jobs/backoff.ts";

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;

/** How long a delivery is retried. */
export const GIVE_UP_MS = 24 * HOUR_MS;

/**
 * Numbers of consecutive failed tries after which a webhook is shown as failing, and is paused. Reaching the second
 * takes hours.
 */
export const FAILING_AFTER = 3;
export const PAUSE_AFTER = 50;

/**
 * Returns the delay after the nth failed try of a delivery: 10 s, 40 s, 3 min, 11 min, 43 min, 3 h, then 6 h, with
 * jitter.
 */
export function retryMs(tries: number, random = Math.random): number {
  return backoffMs({ firstMs: 10 * SECOND_MS, maxMs: 6 * HOUR_MS, factor: 4 }, tries, random);
}

/**
 * Returns the delay before the next try of a whole webhook after its nth consecutive failure, so that a hanging
 * receiver costs little: at most 10 min, with jitter.
 */
export function webhookBackoffMs(failures: number, random = Math.random): number {
  return backoffMs({ firstMs: 5 * SECOND_MS, maxMs: 600 * SECOND_MS }, failures, random);
}
