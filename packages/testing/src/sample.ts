/** Long lists of similar cases, of which each commit tests some, and `npm run test:nightly` all. */
import { createHash } from "node:crypto";
import { inject } from "vitest";
import { randomness } from "./noise.ts";

/** Whether all cases are tested, as in `npm run test:nightly`: then tests also run that take minutes each. */
export function isNightly(): boolean {
  return inject("sample") === "all";
}

/**
 * Returns some of the cases, in their order: the given share of each group, at least one. The seed of the run decides
 * which; it is printed, and `KERNELBOT_SAMPLE=SEED` repeats it. With `KERNELBOT_SAMPLE=all`, returns all cases.
 *
 * @example
 *   test.for(sample(attacks, { share: 0.2, group: ({ expect }) => expect }))("the attack $name gains nothing", judge);
 */
export function sample<T>(cases: readonly T[], { share, group = () => "" }: SampleOptions<T>): T[] {
  const seed = inject("sample");
  if (seed === "all") return [...cases];
  const random = randomness(createHash("sha256").update(`${seed} ${cases.length}`).digest().readInt32LE());
  const groups = Map.groupBy(cases, group);
  const drawn = new Set(
    [...groups.values()].flatMap((members) =>
      members
        .map((member) => ({ member, order: random() }))
        .toSorted((one, other) => one.order - other.order)
        .slice(0, Math.ceil(members.length * share))
        .map(({ member }) => member),
    ),
  );
  return cases.filter((each) => drawn.has(each));
}

interface SampleOptions<T> {
  /** Of each group, from 0 to 1. */
  share: number;
  /** The name of a case's group; absent: all cases are one group. */
  group?: (each: T) => string;
}
