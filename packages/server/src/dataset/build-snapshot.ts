/**
 * Builds a snapshot. All its rows are read in one transaction, from one state of the data. The files are written to a
 * temporary folder, which is renamed to the snapshot's folder when it is complete; the same step marks its submissions
 * as published and the snapshot as ready. A process that ends early leaves a temporary folder, which the next one
 * deletes.
 */
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { KernelBotError, SnapshotManifest } from "@kernelbot/core";
import { DEDUPLICATION_RULE } from "@kernelbot/dataset";
import { openClient, type Client, type Connection } from "../db/client.ts";
import { jsonText } from "../db/json.ts";
import { isConnectionError } from "../db/retry.ts";
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
}

/** Key of the advisory lock, which no other code uses. */
const LOCK = 7_236_118;
const UNFINISHED = ".unfinished-";
/** Maximum number of attempts when submissions change while they are written. */
const TRIES = 5;
const TELL_MS = 500;

/** Builds the next requested snapshot, unless another server is building one. */
export async function buildNextSnapshot(making: BuildRequest): Promise<void> {
  // Progress must be visible to others while the transaction is open, so it uses a second connection.
  const [client, teller] = [openClient(making.connection), openClient(making.connection)];
  try {
    const [lock] = await client.query("select pg_try_advisory_lock($1) as got", [LOCK]);
    if (lock?.["got"] !== true) return;
    const [row] = await client.query(
      "select id, competitions, provisional from dataset_snapshot where state = 'building' order by id limit 1",
    );
    if (row !== undefined) await buildOrFail(client, teller, making, row as unknown as RequestedSnapshot);
  } finally {
    await Promise.all([client.end(1), teller.end(1)]);
  }
}

interface RequestedSnapshot {
  id: number;
  competitions: string[];
  /** Whether it may be built although runs are unfinished. */
  provisional: boolean;
}

async function buildOrFail(
  client: Client,
  teller: Client,
  making: BuildRequest,
  wanted: RequestedSnapshot,
): Promise<void> {
  const folder = join(making.directory, `${UNFINISHED}${randomBytes(8).toString("hex")}`);
  try {
    await removeUnfinished(making.directory);
    for (let n = 1; ; n++) {
      await mkdir(folder, { recursive: true });
      if (await buildSnapshot(client, teller, making, wanted, folder)) return;
      await rm(folder, { recursive: true });
      if (n === TRIES)
        throw new KernelBotError(
          "conflict",
          `submissions changed during each of ${TRIES} attempts; request the snapshot again`,
        );
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    // Without a database connection the state is as after a crash: the next server that looks starts over.
    if (isConnectionError(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    await teller.query(
      `update dataset_snapshot set state = 'failed', message = $2, finished_at = clock_timestamp()
      where id = $1 and state = 'building'`,
      [wanted.id, message],
    );
    if (!(error instanceof KernelBotError)) throw error;
  }
}

/** Deletes temporary folders that ended processes left. The lock excludes concurrent writers. */
async function removeUnfinished(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const left = (await readdir(directory)).filter((name) => name.startsWith(UNFINISHED));
  for (const name of left) await rm(join(directory, name), { recursive: true });
}

/**
 * Writes and publishes the snapshot.
 * @returns false when a submission changed meanwhile, so that the files may not be published.
 */
async function buildSnapshot(
  client: Client,
  teller: Client,
  { directory, source }: BuildRequest,
  { id, competitions, provisional }: RequestedSnapshot,
  path: string,
): Promise<boolean> {
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
    const progress = await openProgress(teller, id, await selectRuns(client, competitions));
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
    // A folder left by a process that ended between the rename and the commit.
    await rm(folderOf(directory, id), { recursive: true, force: true });
    await rename(path, folderOf(directory, id));
    const ready = await client.query(
      `update dataset_snapshot set state = 'ready', finished_at = clock_timestamp(), rows_done = rows_total,
      manifest = $2::text::json, provisional = $3 where id = $1 and state = 'building'`,
      [id, jsonText(manifest), manifest.provisional],
    );
    if (ready.count !== 1) throw new Error(`snapshot ${id} is no longer requested`);
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

async function openProgress(teller: Client, id: number, total: number): Promise<(runs: number) => Promise<void>> {
  let done = 0;
  let told = performance.now();
  await teller.query("update dataset_snapshot set rows_done = 0, rows_total = $2 where id = $1", [id, total]);
  return async (runs) => {
    done += runs;
    if (performance.now() - told < TELL_MS) return;
    told = performance.now();
    await teller.query("update dataset_snapshot set rows_done = $2 where id = $1", [id, done]);
  };
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
