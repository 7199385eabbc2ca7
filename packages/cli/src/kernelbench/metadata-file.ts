/** A metadata.json shared with other tools: the new entry replaces the one with the same unique_id. */
import { type MetadataEntry } from "@kernelbot/core";
import { access } from "node:fs/promises";
import { z } from "zod";
import { UsageError } from "../command/exit.ts";
import { parsedJson, readBounded, writeWhole } from "./files.ts";

const MAX_METADATA_BYTES = 32_000_000;

/** Fields read of other entries, which are kept unchanged. */
const Others = z.array(
  z.looseObject({
    unique_id: z.string(),
    metrics: z.looseObject({ geo_mean: z.number().catch(0) }).catch({ geo_mean: 0 }),
  }),
);

export async function mergeMetadata(path: string, entry: MetadataEntry): Promise<void> {
  const others = await readOthers(path);
  const all = [...others.filter(({ unique_id: id }) => id !== entry.unique_id), entry];
  all.sort((a, b) => b.metrics.geo_mean - a.metrics.geo_mean);
  await writeWhole(path, `${JSON.stringify(all, null, 2)}\n`);
}

async function readOthers(path: string): Promise<z.infer<typeof Others>> {
  try {
    await access(path);
  } catch {
    return [];
  }
  const parsed = Others.safeParse(parsedJson(await readBounded(path, MAX_METADATA_BYTES)));
  if (parsed.success) return parsed.data;
  throw new UsageError(`${JSON.stringify(path)} is not a list of entries; NaN and Infinity are not valid JSON`);
}
