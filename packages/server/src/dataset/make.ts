/**
 * Makes a snapshot. All its rows are of one transaction, which sees one state of the data. It is written into a folder of
 * its own, which gets the name of the snapshot when all is there; with that its submissions become published, and it
 * becomes ready. So a process that dies leaves a folder that the next one throws away.
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
import { CANDIDATES, UNFINISHED_RUNS, whyNot, whyNotYet, type Candidate, type Unfinished } from "./exportable.ts";
import { boardRows, leaderboardRows, problemRows } from "./problems.ts";
import { openPseudonyms, type Pseudonyms } from "./pseudonyms.ts";
import { competitionFacts, selectRuns, withdrawn } from "./selection.ts";
import { describe, folderOf, MANIFEST } from "./snapshots.ts";
import { takeUp } from "./take-up.ts";
import { textsOf } from "./texts.ts";

export interface Making {
  connection: Connection;
  /** That of all snapshots. */
  directory: string;
  /** The address of the server, where it has one. */
  source: string | null;
}

/** Any number that no one else locks. */
const LOCK = 7_236_118;
const UNFINISHED = ".unfinished-";
/** So often submissions that change while they are written make us begin again. */
const TRIES = 5;
const TELL_MS = 500;

/** Makes the next snapshot that was asked for, unless another server is at one. */
export async function makeNext(making: Making): Promise<void> {
  // What is told of the way must be seen while the transaction is open.
  const [client, teller] = [openClient(making.connection), openClient(making.connection)];
  try {
    const [lock] = await client.query("select pg_try_advisory_lock($1) as got", [LOCK]);
    if (lock?.["got"] !== true) return;
    const [row] = await client.query(
      "select id, competitions, provisional from dataset_snapshot where state = 'building' order by id limit 1",
    );
    if (row !== undefined) await makeOrFail(client, teller, making, row as unknown as Wanted);
  } finally {
    await Promise.all([client.end(1), teller.end(1)]);
  }
}

interface Wanted {
  id: number;
  competitions: string[];
  /** Whether it is made though runs are unfinished. */
  provisional: boolean;
}

async function makeOrFail(client: Client, teller: Client, making: Making, wanted: Wanted): Promise<void> {
  const folder = join(making.directory, `${UNFINISHED}${randomBytes(8).toString("hex")}`);
  try {
    await removeUnfinished(making.directory);
    for (let n = 1; ; n++) {
      await mkdir(folder, { recursive: true });
      if (await make(client, teller, making, wanted, folder)) return;
      await rm(folder, { recursive: true });
      if (n === TRIES) throw new KernelBotError("conflict", "its submissions changed again and again; ask once more");
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    // Without its database it is as after a crash: the next one to look begins anew.
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

/** Those of processes that died. Nobody else is at one while we hold the lock. */
async function removeUnfinished(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const left = (await readdir(directory)).filter((name) => name.startsWith(UNFINISHED));
  for (const name of left) await rm(join(directory, name), { recursive: true });
}

/** @returns false where what it has written may not be published as it is. */
async function make(
  client: Client,
  teller: Client,
  { directory, source }: Making,
  { id, competitions, provisional }: Wanted,
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
    const notYet = whyNotYet(unfinished);
    if (notYet !== null && !provisional) throw new KernelBotError("conflict", notYet);
    const [state] = await client.query("select now() as as_of, secret from dataset_secret");
    const { as_of, secret } = state as unknown as { as_of: Date; secret: Buffer };
    pseudonyms = openPseudonyms(secret);
    const progress = await tellProgress(teller, id, await selectRuns(client, competitions));
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
  return takeUp(client, pseudonyms, async () => {
    // One that was left by a process that died between this and the commit.
    await rm(folderOf(directory, id), { recursive: true, force: true });
    await rename(path, folderOf(directory, id));
    const ready = await client.query(
      `update dataset_snapshot set state = 'ready', finished_at = clock_timestamp(), rows_done = rows_total,
      manifest = $2::text::json, provisional = $3 where id = $1 and state = 'building'`,
      [id, jsonText(manifest), manifest.provisional],
    );
    if (ready.count !== 1) throw new Error(`snapshot ${id} is not to be made any more`);
  });
}

const FORMAT = "kernelbot-dataset-1";

/** A competition may have been extended or closed since it was asked for. */
async function refuseOpen(client: Client, competitions: readonly string[]): Promise<void> {
  const rows = await client.query(`${CANDIDATES} where name = any($1::text[])`, [competitions as never]);
  for (const candidate of rows as unknown as Candidate[]) {
    const refusal = whyNot(candidate);
    if (refusal !== null) throw new KernelBotError("conflict", refusal);
  }
}

async function tellProgress(teller: Client, id: number, total: number): Promise<(runs: number) => Promise<void>> {
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

/** Writes what is no table, the manifest last. @returns the manifest with all files but itself. */
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
