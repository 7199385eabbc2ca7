/** The files of one competition. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  CORPUS_PARTS,
  openTable,
  type CorpusPart,
  type FileKind,
  type Row,
  type TableWriter,
  type WrittenFile,
} from "@kernelbot/dataset";
import type { SnapshotFile } from "@kernelbot/core";
import type { Client } from "../db/client.ts";
import { codeRow, corpusRow, readFacts, submissionRow, type Fact } from "./facts.ts";
import { finalPlaces } from "./places.ts";
import type { Pseudonyms } from "./pseudonyms.ts";
import { sampleRows } from "./samples.ts";
import { withSources } from "./sources.ts";

/** A folder that is becoming a snapshot. */
export interface Folder {
  /** Opens a table by its path in the folder. It must be closed. */
  open<Kind extends FileKind>(path: string, kind: Kind): TableWriter<Kind>;
  /** What was closed so far. */
  readonly files: SnapshotFile[];
}

/** @param metadata Key-value metadata of each file. */
export function openFolder(path: string, metadata: Readonly<Record<string, string>>): Folder {
  const files: SnapshotFile[] = [];
  return {
    files,
    open(name, kind) {
      const onDisk = join(path, name);
      mkdirSync(dirname(onDisk), { recursive: true });
      const table = openTable(onDisk, kind, metadata);
      return {
        ...table,
        close(): WrittenFile {
          const written = table.close();
          files.push({ path: name, ...written });
          return written;
        },
      };
    },
  };
}

/** Writes all rows of a table. */
export async function writeRows<Kind extends FileKind>(
  folder: Folder,
  path: string,
  kind: Kind,
  rows: AsyncIterable<Row<Kind>> | Iterable<Row<Kind>>,
): Promise<void> {
  const table = folder.open(path, kind);
  for await (const row of rows) table.write(row);
  table.close();
}

/** @param done Hears how many more runs are written. */
export async function writeCompetition(
  client: Client,
  folder: Folder,
  competition: string,
  pseudonyms: Pseudonyms,
  done: (runs: number) => Promise<void>,
): Promise<void> {
  const places = await finalPlaces(client, competition);
  const submissions = folder.open(`${competition}/submissions.parquet`, "submissions");
  const code = folder.open(`${competition}/code.parquet`, "code");
  const parts = openParts(folder, competition);
  for await (const facts of readFacts(client, competition)) {
    for (const fact of facts) submissions.write(submissionRow(fact, pseudonyms, places.get(fact.run_id) ?? null));
    // Each source is read once, for both files that have it.
    for await (const [fact, source] of withSources(client, facts)) {
      if (fact.first_of_code) code.write(codeRow(fact, source));
      parts[partOf(fact)].write(corpusRow(fact, pseudonyms, source));
    }
    await done(facts.length);
  }
  for (const table of [submissions, code, ...Object.values(parts)]) table.close();
  const samples = sampleRows(client, competition, pseudonyms);
  await writeRows(folder, `${competition}/samples.parquet`, "samples", samples);
}

function openParts(folder: Folder, competition: string): Record<CorpusPart, TableWriter<"corpus">> {
  const names = Object.keys(CORPUS_PARTS) as CorpusPart[];
  const tables = names.map((part) => [part, folder.open(`${competition}/corpus/${part}.parquet`, "corpus")]);
  return Object.fromEntries(tables) as Record<CorpusPart, TableWriter<"corpus">>;
}

function partOf({ deduplicated, successful }: Fact): CorpusPart {
  return `${deduplicated ? "deduplicated" : "repeated"}_${successful ? "successful" : "other"}`;
}
