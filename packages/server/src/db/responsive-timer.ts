/** Timeouts for answers of others, which a late event loop of this process does not shorten. */

/** Number of waits that a timeout consists of. Each counts as its own length, however late it ends. */
const WAITS = 8;

/**
 * Calls `act` after `ms` milliseconds in which this process could have received an answer. On a busy machine the event
 * loop runs late, and an answer that has arrived is not read yet: `setTimeout` would report the other side as silent.
 * The wait does not keep the process alive.
 * @returns a function that cancels the call.
 */
export function setResponsiveTimeout(act: () => void, ms: number): () => void {
  let waits = 0;
  let timer: NodeJS.Timeout;
  let last: NodeJS.Immediate | undefined;
  const wait = (): void => {
    waits += 1;
    // Node reads from sockets after the timers and before the immediates.
    if (waits > WAITS) last = setImmediate(act);
    else timer = setTimeout(wait, ms / WAITS).unref();
  };
  wait();
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}
