/**
 * Throttles calls: the first runs immediately; later calls within the pause are merged into one at its end, so that no
 * change is missed.
 */
interface ThrottledCall {
  call(): void;
  /** Cancels a pending call. */
  end(): void;
}

/**
 * Creates a throttle.
 * @param pauseMs Returns the pause after a call, in milliseconds; evaluated at each call.
 */
export function throttleCalls(act: () => void, pauseMs: () => number): ThrottledCall {
  let quietUntil = 0;
  let waiting: NodeJS.Timeout | undefined;

  function now(): void {
    waiting = undefined;
    quietUntil = Date.now() + pauseMs();
    act();
  }

  return {
    call() {
      if (waiting !== undefined) return;
      const left = quietUntil - Date.now();
      if (left <= 0) now();
      else waiting = setTimeout(now, left).unref();
    },
    end: () => clearTimeout(waiting),
  };
}
