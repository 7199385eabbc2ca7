import { dispositionOf } from "../db/retry.ts";

/**
 * Decorates a function that stores several items in one transaction: calls that arrive during a commit share the next
 * one. An item that cannot be stored does not fail the others: they are stored again one by one.
 *
 * @param storeAll Returns one result per item, in order.
 * @param maxItems Largest batch.
 * @param maxCharacters Limit of the sum of `charactersOf` of a batch of several items, which bounds the statement.
 */
export function batched<Item, Result>(
  storeAll: (items: readonly Item[]) => Promise<Result[]>,
  { maxItems, maxCharacters, charactersOf }: BatchBounds<Item>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isBusy = false;

  function takeBatch(): Waiting<Item, Result>[] {
    let characters = 0;
    const end = waiting.findIndex(({ item }, count) => {
      characters += charactersOf(item);
      return count > 0 && (count === maxItems || characters > maxCharacters);
    });
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  /** Settles the promise of each item. Never rejects itself. */
  async function store(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await storeAll(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      const mayBeOneItem = batch.length > 1 && dispositionOf(error) === "fault";
      if (mayBeOneItem) for (const each of batch) await store([each]);
      else batch.forEach(({ reject }) => reject(error));
    }
  }

  async function drain(): Promise<void> {
    isBusy = true;
    while (waiting.length > 0) await store(takeBatch());
    isBusy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isBusy) void drain();
    });
}

interface BatchBounds<Item> {
  maxItems: number;
  maxCharacters: number;
  charactersOf: (item: Item) => number;
}

/** An item, with the promise of its caller. */
interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}
