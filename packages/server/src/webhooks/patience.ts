/** When to try again, and when to give up. Jitter keeps those that failed together from coming back together. */

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;

/** A delivery is tried for this long. */
export const GIVE_UP_MS = 24 * HOUR_MS;

/** So many failed tries in a row are called failing, and pause a webhook. With its rests, the last takes hours. */
export const FAILING_AFTER = 3;
export const PAUSE_AFTER = 50;

/** After the nth try of a delivery failed: about 10 s, 40 s, 3 min, 11 min, 43 min, 3 h, then every 6 h. */
export function retryMs(tries: number, random = Math.random): number {
  return jittered(Math.min(10 * SECOND_MS * 4 ** (tries - 1), 6 * HOUR_MS), random);
}

/** How long a whole webhook rests after its nth failure in a row, so that one that hangs costs little: at most 10 min. */
export function restMs(failures: number, random = Math.random): number {
  return jittered(Math.min(5 * SECOND_MS * 2 ** (failures - 1), 600 * SECOND_MS), random);
}

function jittered(ms: number, random: () => number): number {
  return ms * (0.5 + random() / 2);
}
