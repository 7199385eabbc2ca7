/** Random draws that depend on a key only, so that a generated problem is the same on every machine. */
import { createHash } from "node:crypto";

export class Random {
  readonly #key: string;
  #drawn = 0;

  constructor(key: string) {
    this.#key = key;
  }

  /** Returns an integer from `low` to `high`, both included; the range must be below 2^32. */
  integer(low: number, high: number): number {
    const digest = createHash("sha256").update(`${this.#key}/${this.#drawn}`).digest();
    this.#drawn += 1;
    return low + Math.floor((digest.readUInt32BE(0) / 2 ** 32) * (high - low + 1));
  }

  /** Returns one of the items. @throws RangeError if there are none */
  choice<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new RangeError("there is nothing to choose from");
    return items[this.integer(0, items.length - 1)] as Item;
  }

  /** Returns true in `percent` of 100 draws. */
  chance(percent: number): boolean {
    return this.integer(1, 100) <= percent;
  }
}
