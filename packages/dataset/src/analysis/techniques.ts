import { median, type TechniqueUse } from "@kernelbot/core";
import type { KernelField, KernelRow } from "../formats/kernel-row.ts";
import { RANKED_FIELDS, combineRankedBy, entriesOf, byBoard, implausible, type Ranking } from "./board.ts";
import { plainCode } from "./strip-comments.ts";
import { TECHNIQUES } from "./technique-patterns.ts";

export const TECHNIQUE_FIELDS = [
  ...RANKED_FIELDS,
  "userId",
  "place",
  "codeKey",
  "fileName",
] as const satisfies readonly KernelField[];

/** Share of the users that count as the fastest. */
const FASTEST = 0.1;

/** Returns the names of the techniques whose pattern matches a source; comments and docstrings do not count. */
export function techniquesOf(source: string, fileName: string): string[] {
  const code = plainCode(source, fileName);
  return TECHNIQUES.flatMap(({ name, pattern }) => (pattern.test(code) ? [name] : []));
}

/**
 * Relates techniques to speed on each board; techniques of the fastest come first.
 *
 * Each user's entry counts (`entriesOf`), if the data has its source. A technique counts as used when its pattern
 * (`TECHNIQUES`) matches the code, whether or not that code runs. This is a static correlation: that the fastest
 * kernels use a technique does not show that it made them fast.
 * @param known techniques of each source, by its `codeKey`
 */
export function techniqueUses(
  rows: readonly Pick<KernelRow, (typeof TECHNIQUE_FIELDS)[number]>[],
  known: ReadonlyMap<string, readonly string[]>,
): Ranking<TechniqueUse> {
  const results = byBoard(rows).flatMap(({ board, rows }) => {
    const kernels = entriesOf(rows).flatMap(({ scoreNs, rankedBy, codeKey }) => {
      const techniques = known.get(codeKey);
      return techniques === undefined ? [] : [{ scoreNs, rankedBy, techniques }];
    });
    const fastest = kernels.slice(0, Math.max(1, Math.floor(kernels.length * FASTEST)));
    return TECHNIQUES.flatMap(({ name }) => {
      const [having = [], lacking = []] = [true, false].map((uses) =>
        kernels.filter(({ techniques }) => techniques.includes(name) === uses),
      );
      if (having.length === 0) return [];
      return [
        {
          ...board,
          technique: name,
          users: having.length,
          share: having.length / kernels.length,
          shareOfFastest: fastest.filter(({ techniques }) => techniques.includes(name)).length / fastest.length,
          medianNs: median(having.map(({ scoreNs }) => scoreNs)),
          medianWithoutNs: lacking.length === 0 ? null : median(lacking.map(({ scoreNs }) => scoreNs)),
          medianRankedBy: combineRankedBy(having, median),
          medianWithoutRankedBy: combineRankedBy(lacking, median),
        },
      ];
    }).toSorted((one, other) => other.shareOfFastest - one.shareOfFastest || other.share - one.share);
  });
  return { results, implausible: implausible(rows) };
}

/** Returns the sources whose techniques `techniqueUses` needs, by `codeKey`, with their file names. */
export function sourcesOfBest(
  rows: readonly Pick<KernelRow, (typeof TECHNIQUE_FIELDS)[number]>[],
): Map<string, string> {
  const best = byBoard(rows).flatMap(({ rows }) => entriesOf(rows));
  return new Map(best.map(({ codeKey, fileName }) => [codeKey, fileName]));
}
