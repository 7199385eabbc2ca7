/** Writes the files of one competition. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  CORPUS_PARTS,
  openTable,
  openTablesThread,
  type CorpusPart,
  type FileKind,
  type Row,
  type TablesThread,
  type ThreadRows,
  type ThreadTables,
  type TableWriter,
  type WrittenFile,
} from "@kernelbot/dataset";
import type { SnapshotFile } from "@kernelbot/core";
import type { Client } from "../db/client.ts";
import { codeRow, corpusRow, readFacts, submissionRow, type Fact } from "./facts.ts";
import { finalRanks } from "./final-ranks.ts";
import type { Pseudonyms } from "./pseudonyms.ts";
import { sampleRows } from "./samples.ts";
import { withSources, type Sourced } from "./sources.ts";

/** Folder of a snapshot that is being written. */
export interface Folder {
  /** Opens a table by its path in the folder. The caller closes it. */
  open<Kind extends FileKind>(path: string, kind: Kind): TableWriter<Kind>;
  /** Opens several tables, by name, that are written in a separate thread. */
  openThread<Tables extends ThreadTables>(tables: Tables): TablesThread<Tables>;
  /** Files that are closed so far. */
  readonly files: SnapshotFile[];
}

/** Opens the folder. @param metadata Key-value metadata of each Parquet file. */
export function openFolder(path: string, metadata: Readonly<Record<string, string>>): Folder {
  const files: SnapshotFile[] = [];

  function placeFor(name: string): string {
    const onDisk = join(path, name);
    mkdirSync(dirname(onDisk), { recursive: true });
    return onDisk;
  }

  return {
    files,
    openThread(tables) {
      const placed = Object.entries(tables).map(([name, { path, kind }]) => [name, { path: placeFor(path), kind }]);
      const thread = openTablesThread(Object.fromEntries(placed) as typeof tables, metadata);
      return {
        ...thread,
        async close() {
          const written = await thread.close();
          for (const [name, { path }] of Object.entries(tables)) {
            files.push({ path, ...(written[name] as WrittenFile) });
          }
          return written;
        },
      };
    },
    open(name, kind) {
      const table = openTable(placeFor(name), kind, metadata);
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

/** Writes all rows of a table, and closes it. */
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

/** Writes all tables of a competition. @param done Called with the number of runs written since the last call. */
export async function writeCompetition(
  client: Client,
  folder: Folder,
  competition: string,
  pseudonyms: Pseudonyms,
  done: (runs: number) => Promise<void>,
): Promise<void> {
  const places = await finalRanks(client, competition);
  const submissions = folder.open(`${competition}/submissions.parquet`, "submissions");
  const sources = folder.openThread(sourceTables(competition));
  // Each source is read once, for both files that contain it. A thread compresses, because that takes as long as
  // reading.
  for await (const { facts, memory } of withSources(client, readFacts(client, competition))) {
    await sources.write(sourceRows(facts, pseudonyms), [memory]);
    for (const [fact] of facts) submissions.write(submissionRow(fact, pseudonyms, places.get(fact.run_id) ?? null));
    await done(facts.length);
  }
  submissions.close();
  await sources.close();
  const samples = sampleRows(client, competition, pseudonyms);
  await writeRows(folder, `${competition}/samples.parquet`, "samples", samples);
}

type SourceTables = Record<"code", { path: string; kind: "code" }> &
  Record<CorpusPart, { path: string; kind: "corpus" }>;

/** Returns the tables that contain sources. */
function sourceTables(competition: string): SourceTables {
  const parts = (Object.keys(CORPUS_PARTS) as CorpusPart[]).map((part) => [
    part,
    { path: `${competition}/corpus/${part}.parquet`, kind: "corpus" },
  ]);
  return {
    code: { path: `${competition}/code.parquet`, kind: "code" },
    ...(Object.fromEntries(parts) as Record<CorpusPart, SourceTables[CorpusPart]>),
  };
}

function sourceRows(sourced: Sourced["facts"], pseudonyms: Pseudonyms): ThreadRows<SourceTables> {
  const rows = Map.groupBy(sourced, ([fact]) => partOf(fact));
  const corpus = [...rows].map(([part, members]) => [
    part,
    members.map(([fact, source]) => corpusRow(fact, pseudonyms, source)),
  ]);
  return {
    code: sourced.filter(([fact]) => fact.first_of_code).map(([fact, source]) => codeRow(fact, source)),
    ...(Object.fromEntries(corpus) as Partial<Record<CorpusPart, Row<"corpus">[]>>),
  };
}

function partOf({ deduplicated, successful }: Fact): CorpusPart {
  return `${deduplicated ? "deduplicated" : "repeated"}_${successful ? "successful" : "other"}`;
}
