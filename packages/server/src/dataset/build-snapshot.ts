/**
 * Builds a snapshot. All its rows are read in one transaction, from one state of the data. The files are written to a
 * temporary folder, which is renamed to the snapshot's folder when it is complete; the same step marks its submissions
 * as published and the snapshot as ready. A process that ends early leaves a temporary folder, which the next build
 * deletes.
 */
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { KernelBotError, SnapshotManifest } from "@kernelbot/core";
import { DEDUPLICATION_RULE } from "@kernelbot/dataset";
import { openClient, type Client, type Connection } from "../db/client.ts";
import { jsonText } from "../db/json.ts";
import { openFolder, writeCompetition, writeRows, type Folder } from "./competition-files.ts";
import {
  CANDIDATES,
  UNFINISHED_RUNS,
  exportObstacle,
  unfinishedRunsObstacle,
  type Candidate,
  type Unfinished,
} from "./exportable.ts";
import { boardRows, leaderboardRows, problemRows } from "./problems.ts";
import { openPseudonyms, type Pseudonyms } from "./pseudonyms.ts";
import { competitionFacts, selectRuns, withdrawn } from "./selection.ts";
import { describe, folderOf, MANIFEST } from "./snapshots.ts";
import { publishSelected } from "./publish-submissions.ts";
import { textsOf } from "./texts.ts";

export interface BuildRequest {
  connection: Connection;
  /** Folder of all snapshots. */
  directory: string;
  /** Public base URL of the server; null if unknown. */
  source: string | null;
  snapshot: LeasedSnapshot;
}

interface LeasedSnapshot {
  id: number;
  /** Fencing token of the lease. */
  tries: number;
  competitions: string[];
  /** Whether it may be built although runs are unfinished. */
  provisional: boolean;
}

const UNFINISHED = ".unfinished-";
/** Maximum number of attempts when submissions change while they are written. */
const ATTEMPTS = 5;
const REPORT_MS = 500;

/**
 * Builds a leased snapshot.
 * @throws KernelBotError `conflict` when it may not be built, or submissions kept changing meanwhile.
 */
export async function buildSnapshot(request: BuildRequest): Promise<void> {
  // Progress must be visible to others while the transaction is open, so it uses a second connection.
  const [client, teller] = [openClient(request.connection), openClient(request.connection)];
  const folder = join(request.directory, `${UNFINISHED}${randomBytes(8).toString("hex")}`);
  try {
    await removeUnfinished(request.directory);
    for (let n = 1; ; n++) {
      await mkdir(folder, { recursive: true });
      if (await writeAndPublish(client, teller, request, folder)) return;
      await rm(folder, { recursive: true });
      if (n === ATTEMPTS)
        throw new KernelBotError(
          "conflict",
          `submissions changed during each of ${ATTEMPTS} attempts; request the snapshot again`,
        );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
    await Promise.all([client.end(1), teller.end(1)]);
  }
}

/** Deletes temporary folders that ended processes left. The lease excludes concurrent writers. */
async function removeUnfinished(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const left = (await readdir(directory)).filter((name) => name.startsWith(UNFINISHED));
  for (const name of left) await rm(join(directory, name), { recursive: true });
}

/**
 * Writes and publishes the snapshot.
 * @returns false when a submission changed meanwhile, so that the files may not be published.
 */
async function writeAndPublish(
  client: Client,
  teller: Client,
  { directory, source, snapshot }: BuildRequest,
  path: string,
): Promise<boolean> {
  const { id, tries, competitions, provisional } = snapshot;
  const folder = openFolder(path, {
    "kernelbot.format": FORMAT,
    "kernelbot.snapshot": String(id),
    "kernelbot.deduplication": DEDUPLICATION_RULE,
  });
  await client.query("begin isolation level repeatable read");
  let pseudonyms: Pseudonyms;
  let facts: Pick<SnapshotManifest, "asOf" | "provisional" | "competitions" | "withdrawn">;
  try {
    await refuseOpen(client, competitions);
    const unfinished = (await client.query(UNFINISHED_RUNS, [competitions as never])) as unknown as Unfinished[];
    const notYet = unfinishedRunsObstacle(unfinished);
    if (notYet !== null && !provisional) throw new KernelBotError("conflict", notYet);
    const [state] = await client.query("select now() as as_of, secret from dataset_secret");
    const { as_of, secret } = state as unknown as { as_of: Date; secret: Buffer };
    pseudonyms = openPseudonyms(secret);
    const progress = await openProgress(teller, snapshot, await selectRuns(client, competitions));
    for (const name of competitions) await writeCompetition(client, folder, name, pseudonyms, progress);
    await writeShared(client, folder, competitions);
    facts = {
      asOf: as_of.toISOString(),
      provisional: notYet !== null,
      competitions: await competitionFacts(client, competitions, unfinished),
      withdrawn: await withdrawn(client, competitions),
    };
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
  const createdAt = new Date().toISOString();
  const manifest = await writeTexts(path, {
    format: FORMAT,
    id,
    createdAt,
    source,
    deduplication: DEDUPLICATION_RULE,
    files: folder.files,
    ...facts,
  });
  return publishSelected(client, pseudonyms, async () => {
    // First, so that a server whose lease has expired leaves the files of its successor alone.
    const ready = await client.query(
      `update dataset_snapshot set state = 'ready', finished_at = clock_timestamp(), rows_done = rows_total,
      manifest = $2::text::json, provisional = $3, message = null, due_at = null, lease_until = null
      where id = $1 and state = 'building' and tries = $4`,
      [id, jsonText(manifest), manifest.provisional, tries],
    );
    if (ready.count !== 1) throw takenOver(id);
    // A folder left by a process that ended between the rename and the commit.
    await rm(folderOf(directory, id), { recursive: true, force: true });
    await rename(path, folderOf(directory, id));
  });
}

const FORMAT = "kernelbot-dataset-1";

/** Checks the competitions again, because one may have been extended or closed since the request. */
async function refuseOpen(client: Client, competitions: readonly string[]): Promise<void> {
  const rows = await client.query(`${CANDIDATES} where name = any($1::text[])`, [competitions as never]);
  for (const candidate of rows as unknown as Candidate[]) {
    const refusal = exportObstacle(candidate);
    if (refusal !== null) throw new KernelBotError("conflict", refusal);
  }
}

async function openProgress(
  teller: Client,
  { id, tries }: LeasedSnapshot,
  total: number,
): Promise<(runs: number) => Promise<void>> {
  let done = 0;
  let reportedAt = 0;
  async function report(): Promise<void> {
    reportedAt = performance.now();
    const { count } = await teller.query(
      `update dataset_snapshot set rows_done = $3, rows_total = $4
      where id = $1 and tries = $2 and state = 'building'`,
      [id, tries, done, total],
    );
    if (count !== 1) throw takenOver(id);
  }
  await report();
  return async (runs) => {
    done += runs;
    if (performance.now() - reportedAt >= REPORT_MS) await report();
  };
}

function takenOver(id: number): Error {
  return new Error(`another server has taken over snapshot ${id}`);
}

async function writeShared(client: Client, folder: Folder, competitions: readonly string[]): Promise<void> {
  await writeRows(folder, "problems.parquet", "problems", problemRows(client, competitions));
  await writeRows(folder, "boards.parquet", "boards", await boardRows(client, competitions));
  await writeRows(folder, "leaderboards.parquet", "leaderboards", leaderboardRows(client, competitions));
}

/** Writes the files that are not tables, the manifest last. @returns the manifest, which lists all files but itself. */
async function writeTexts(path: string, tables: SnapshotManifest): Promise<SnapshotManifest> {
  const files = [...tables.files];
  for (const [name, text] of Object.entries(textsOf(tables))) {
    await writeFile(join(path, name), text);
    files.push(await describe(name, join(path, name)));
  }
  const manifest = SnapshotManifest.parse({ ...tables, files });
  await writeFile(join(path, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}
