/**
 * Makes calls rarer: the first goes through at once, and of those that follow one at the end of the pause, so that no change
 * goes unseen.
 */
export interface Calm {
  call(): void;
  /** Lets nothing through any more. */
  end(): void;
}

/** @param pauseMs How long it is quiet after a call, asked after each. */
export function calm(act: () => void, pauseMs: () => number): Calm {
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
