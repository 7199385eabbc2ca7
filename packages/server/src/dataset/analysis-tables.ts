/** Computes the analyses of one competition of a snapshot from its files. */
import type { AnalysisTables } from "@kernelbot/core";
import {
  FACTS,
  kernelRows,
  openDataset,
  readSources,
  records,
  sourcesOfBest,
  techniquesOf,
  techniqueUses,
  type KernelRow,
} from "@kernelbot/dataset";

/** Computes all analyses of a competition. @param folder The competition's folder in the snapshot. */
export async function analyse(folder: string): Promise<AnalysisTables> {
  const dataset = await openDataset(folder);
  const rows: Omit<KernelRow, "code">[] = [];
  for await (const batch of kernelRows(dataset, { fields: FACTS })) for (const row of batch) rows.push(row);
  const best = sourcesOfBest(rows);
  const techniques = new Map<string, readonly string[]>();
  for await (const { codeKey, code } of readSources(dataset, new Set(best.keys()))) {
    const ofBest = best.get(codeKey);
    if (ofBest !== undefined) techniques.set(codeKey, techniquesOf(code, ofBest));
  }
  return { records: records(rows).results, techniques: techniqueUses(rows, techniques).results };
}
