/**
 * Combines concurrent reads of the same key. A call made while a read is running shares the next read with all other
 * calls made meanwhile, so no call gets a result that was read before the call. At most one read per key runs at a
 * time, and no result is stale unless `keptMs` allows it.
 *
 *     const submissions = coalesce((id: number) => readSubmission(database, id));
 *     await submissions(7);
 */
export function coalesce<Question, Value>(
  read: (question: Question) => Promise<Value>,
  /** Returns the key of a question; questions with the same key share reads. */
  keyOf: (question: Question) => unknown = (question) => question,
  /** Returns for how long later calls get this value too: 0 unless reading such a value is expensive. */
  keptMs: (value: Value) => number = () => 0,
): (question: Question) => Promise<Value> {
  const running = new Map<unknown, Reads<Value>>();
  const kept = new Map<unknown, { value: Value; until: number }>();

  async function readAndKeep(question: Question, key: unknown): Promise<Value> {
    const value = await read(question);
    const ms = keptMs(value);
    if (ms > 0) kept.set(key, { value, until: performance.now() + ms });
    else kept.delete(key);
    return value;
  }

  function start(question: Question, key: unknown): Promise<Value> {
    const reads: Reads<Value> = { current: readAndKeep(question, key), next: undefined };
    running.set(key, reads);
    const end = () => {
      if (running.get(key) === reads && reads.next === undefined) running.delete(key);
    };
    reads.current.then(end, end);
    return reads.current;
  }

  return (question) => {
    const key = keyOf(question);
    const known = kept.get(key);
    if (known !== undefined && performance.now() < known.until) return Promise.resolve(known.value);
    const reads = running.get(key);
    if (reads === undefined) return start(question, key);
    reads.next ??= reads.current.then(
      () => start(question, key),
      () => start(question, key),
    );
    return reads.next;
  };
}

interface Reads<Value> {
  current: Promise<Value>;
  next: Promise<Value> | undefined;
}
