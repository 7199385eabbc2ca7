/** Computes the analyses of one competition of a snapshot from its files. */
import type { AnalysisTables, ProgressStep } from "@kernelbot/core";
import {
  clusters,
  FACTS,
  failures,
  fingerprintsOfSource,
  kernelRows,
  openDataset,
  progression,
  readSources,
  records,
  sourcesOfBest,
  sourcesOfClusters,
  speedups,
  techniquesOf,
  techniqueUses,
  topContestants,
  type KernelRow,
} from "@kernelbot/dataset";

export interface Analysed {
  tables: AnalysisTables;
  /** Progress of each user, by the user id in the files. */
  progressions: [userId: string, steps: ProgressStep[]][];
}

/** Computes all analyses of a competition. @param folder The competition's folder in the snapshot. */
export async function analyse(folder: string): Promise<Analysed> {
  const dataset = await openDataset(folder);
  const rows: Omit<KernelRow, "code">[] = [];
  for await (const batch of kernelRows(dataset, { fields: FACTS })) for (const row of batch) rows.push(row);
  const best = sourcesOfBest(rows);
  const compared = sourcesOfClusters(rows);
  const techniques = new Map<string, readonly string[]>();
  const fingerprints = new Map<string, Int32Array>();
  for await (const { codeKey, code } of readSources(dataset, new Set([...best.keys(), ...compared.keys()]))) {
    const [ofBest, ofCompared] = [best.get(codeKey), compared.get(codeKey)];
    if (ofBest !== undefined) techniques.set(codeKey, techniquesOf(code, ofBest));
    if (ofCompared !== undefined) fingerprints.set(codeKey, fingerprintsOfSource(code, ofCompared));
  }
  return {
    tables: {
      contestants: topContestants(rows).results,
      records: records(rows).results,
      failures: failures(rows),
      techniques: techniqueUses(rows, techniques).results,
      clusters: clusters(rows, fingerprints),
      speedups: speedups(rows).results,
    },
    progressions: [...Map.groupBy(rows, ({ userId }) => userId)].map(([userId, own]) => [
      userId,
      progression(own, userId).results,
    ]),
  };
}
