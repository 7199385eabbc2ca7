/**
 * Makes many questions for the same thing one: who asks while a read is under way shares the next one with all others
 * who wait, and never gets an answer that was read before the question came. So a thing is read by one query at a time,
 * however many ask, and no answer is stale.
 *
 *     const submissions = coalesce((id: number) => readSubmission(database, id));
 *     await submissions(7);
 */
export function coalesce<Question, Value>(
  read: (question: Question) => Promise<Value>,
  /** Two questions with the same key are the same. */
  keyOf: (question: Question) => unknown = (question) => question,
): (question: Question) => Promise<Value> {
  const running = new Map<unknown, Reads<Value>>();

  function start(question: Question, key: unknown): Promise<Value> {
    const reads: Reads<Value> = { current: read(question), next: undefined };
    running.set(key, reads);
    const end = () => {
      if (running.get(key) === reads && reads.next === undefined) running.delete(key);
    };
    reads.current.then(end, end);
    return reads.current;
  }

  return (question) => {
    const key = keyOf(question);
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
