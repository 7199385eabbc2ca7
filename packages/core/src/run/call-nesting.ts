/** Nesting of the calls of one thread, from their times. */

/** Start and duration, in microseconds. */
interface Timed {
  ts: number;
  dur: number;
}

export interface NestedCall<Call> {
  call: Call;
  /** Number of calls that contain this one. */
  depth: number;
  /** Time in the call without the calls that it contains, in microseconds. */
  selfUs: number;
}

/** Older versions of PyTorch round starts and durations down to microseconds, so that calls seem to overlap. */
const ROUNDING_US = 2;

/**
 * Nests the calls of a thread by containment.
 * @returns The calls by start. `isNested` is false where calls overlap without containing each other, as concurrent ones
 * do; their self times are then meaningless.
 */
export function nestCalls<Call extends Timed>(
  calls: readonly Call[],
): { nested: NestedCall<Call>[]; isNested: boolean } {
  const stack: NestedCall<Call>[] = [];
  let isNested = true;
  const nested = calls
    .toSorted((a, b) => a.ts - b.ts || b.dur - a.dur)
    .map((call) => {
      let parent = stack.at(-1);
      while (parent !== undefined && isAfter(call, parent.call)) {
        stack.pop();
        parent = stack.at(-1);
      }
      if (parent !== undefined) {
        const leftUs = endOf(parent.call) - call.ts;
        if (call.dur > leftUs + ROUNDING_US) isNested = false;
        parent.selfUs = Math.max(0, parent.selfUs - Math.min(call.dur, leftUs));
      }
      const own = { call, depth: stack.length, selfUs: call.dur };
      stack.push(own);
      return own;
    });
  return { nested, isNested };
}

/** Returns whether a call begins after another one has ended, except for rounding. */
function isAfter(call: Timed, other: Timed): boolean {
  const overlapUs = endOf(other) - call.ts;
  return overlapUs <= 0 || (overlapUs <= ROUNDING_US && call.dur > overlapUs + ROUNDING_US);
}

function endOf({ ts, dur }: Timed): number {
  return ts + dur;
}
