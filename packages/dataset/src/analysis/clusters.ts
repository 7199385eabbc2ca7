import { fingerprintsOf, languageOf, tokensOf, type Cluster } from "@kernelbot/core";
import type { KernelField, KernelRow } from "../formats/kernel-row.ts";
import { RANKED_FIELDS, byBoard, byTime, combineRankedBy, ranks } from "./board.ts";
import { nearPairs } from "./minhash.ts";
import { READ_CHARACTERS } from "./strip-comments.ts";

export const CLUSTER_FIELDS = [
  ...RANKED_FIELDS,
  "userId",
  "userName",
  "codeKey",
  "fileName",
] as const satisfies readonly KernelField[];

type ClusterRow = Pick<KernelRow, (typeof CLUSTER_FIELDS)[number]>;

/** Minimum similarity (Jaccard) of the fingerprints of near duplicates. */
export const NEAR = 0.8;

/**
 * Returns the fingerprints by which sources are compared, independent of names, numbers, comments and layout
 * (`similarity.ts` of the core).
 */
export function fingerprintsOfSource(source: string, fileName: string): Int32Array {
  return Int32Array.from(fingerprintsOf(tokensOf(source.slice(0, READ_CHARACTERS), languageOf(fileName) ?? "py")));
}

/**
 * Clusters the nearly identical kernels of each board, largest clusters first.
 *
 * Of the ranked runs that passed, the earliest of each user with each source counts. Two kernels are near duplicates
 * when the similarity of their fingerprints is at least 0.8; a cluster contains every kernel that is a near duplicate
 * of one of its members.
 * @param known fingerprints of each source, by its `codeKey`
 */
export function clusters(rows: readonly ClusterRow[], known: ReadonlyMap<string, Int32Array>): Cluster[] {
  return byBoard(rows).flatMap(({ board, rows }) => {
    const kernels = membersOf(rows).filter(({ codeKey }) => known.has(codeKey));
    const keys = [...new Set(kernels.map(({ codeKey }) => codeKey))];
    const places = new Map(keys.map((key, at) => [key, at]));
    const near = nearPairs(
      keys.map((key) => known.get(key) ?? new Int32Array()),
      NEAR,
    );
    const groups = Map.groupBy(kernels, ({ codeKey }) => near.root(places.get(codeKey) ?? 0));
    return [...groups.values()]
      .filter((members) => members.length > 1)
      .map((members) => {
        const [first = members[0] as ClusterRow] = members;
        const copies = Map.groupBy(members, ({ codeKey }) => codeKey);
        const similarities = [...copies].map(([key, { length }]) =>
          length > 1 ? 1 : near.nearest(places.get(key) ?? 0),
        );
        const ranked = members.filter((row) => ranks(row));
        return {
          ...board,
          submissionId: first.submissionId,
          size: members.length,
          users: [...new Set(members.map(({ userName }) => userName))],
          submissionIds: members.map(({ submissionId }) => submissionId),
          bestNs: ranked.length === 0 ? null : least(ranked.map(({ scoreNs }) => scoreNs)),
          bestRankedBy: combineRankedBy(ranked, (values) => values.reduce((best, value) => Math.max(best, value))),
          similarity: least(similarities),
        };
      })
      .toSorted((one, other) => other.size - one.size || one.submissionId - other.submissionId);
  });
}

function least(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Infinity);
}

/** Returns the earliest row of each user with each source, in order of time. */
function membersOf(rows: readonly ClusterRow[]): ClusterRow[] {
  const members = new Map<string, ClusterRow>();
  for (const row of rows.filter(({ mode, passed }) => mode === "ranked" && passed === true).toSorted(byTime)) {
    const key = JSON.stringify([row.userId, row.codeKey]);
    if (!members.has(key)) members.set(key, row);
  }
  return [...members.values()];
}

/** Returns the sources that `clusters` compares, by `codeKey`, with their file names. */
export function sourcesOfClusters(rows: readonly ClusterRow[]): Map<string, string> {
  const members = byBoard(rows).flatMap(({ rows }) => membersOf(rows));
  return new Map(members.map(({ codeKey, fileName }) => [codeKey, fileName]));
}
