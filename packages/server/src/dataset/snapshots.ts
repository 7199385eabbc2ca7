/** Requests and reads snapshots. `build.ts` builds them. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdObstacle } from "@kernelbot/dataset";
import { CompiledQuery, sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import {
  KernelBotError,
  quote,
  type Snapshot,
  type SnapshotDetails,
  type SnapshotFile,
  type SnapshotRequest,
} from "@kernelbot/core";
import { listed, reachable, type Viewer } from "../auth/visibility.ts";
import { requireOrganiser } from "../competitions/organisers.ts";
import type { Database } from "../db/database.ts";
import { hasRole, requireRole, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "../auth/audit.ts";
import {
  CANDIDATES,
  UNFINISHED_RUNS,
  exportObstacle,
  unfinishedRunsObstacle,
  type Candidate,
  type Unfinished,
} from "./exportable.ts";

/** Returns why this server cannot write datasets; null if it can. */
export const writerObstacle = zstdObstacle;

/** File name of a snapshot's manifest. */
export const MANIFEST = "dataset.json";

/** Key of the advisory lock, which no other code uses. */
const LOCK = 7_236_116;

/** Returns the folder of a snapshot. */
export function folderOf(directory: string, id: number): string {
  return join(directory, String(id));
}

/**
 * Requests a snapshot. Returns the existing request if the same snapshot is being built.
 * @throws KernelBotError `forbidden` for callers who are not organisers of all named competitions, and for callers
 * other than administrators when all ended ones are requested; `not_found`; `conflict` when a competition may not be
 * exported, none has ended, or one has unfinished runs and the request is not provisional; `unavailable` when the
 * server's Node.js cannot write datasets.
 */
export async function requestSnapshot(
  database: Database,
  identity: Identity,
  request: SnapshotRequest,
): Promise<Snapshot> {
  const obstacle = writerObstacle();
  if (obstacle !== null) throw new KernelBotError("unavailable", `This server cannot create snapshots: ${obstacle}.`);
  const id = await runTransaction(idempotent(database.db), async (transaction) => {
    const competitions = await chosen(transaction, identity, request.competitions);
    const { provisional = false } = request;
    const notYet = provisional ? null : unfinishedRunsObstacle(await unfinishedOf(transaction, competitions));
    if (notYet !== null) throw new KernelBotError("conflict", notYet);
    return insertSnapshot(transaction, competitions, identity, provisional);
  });
  return readSnapshot(database, identity, id);
}

/** Returns those of the competitions that have unfinished runs. */
export async function unfinishedOf(
  transaction: Transaction<Tables>,
  competitions: readonly string[],
): Promise<Unfinished[]> {
  return (await transaction.executeQuery<Unfinished>(CompiledQuery.raw(UNFINISHED_RUNS, [competitions]))).rows;
}

/** Stores a request. @param identity The caller; null for scheduled snapshots. @returns the id of the snapshot. */
export async function insertSnapshot(
  transaction: Transaction<Tables>,
  competitions: readonly string[],
  identity: Identity | null,
  provisional = false,
): Promise<number> {
  // Serialises concurrent requests, so that the second one finds the first.
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
  const same = await transaction
    .selectFrom("dataset_snapshot")
    .select("id")
    .where("state", "=", "building")
    .where("provisional", "=", provisional)
    .where("competitions", "=", sql<string[]>`${[...competitions]}::text[]`)
    .executeTakeFirst();
  if (same !== undefined) return same.id;
  const { id } = await transaction
    .insertInto("dataset_snapshot")
    .values({ competitions: [...competitions], provisional, requested_by: identity?.account.id ?? null })
    .returning("id")
    .executeTakeFirstOrThrow();
  if (identity !== null) await audit(transaction, identity, "export", `snapshot ${id}`, { competitions, provisional });
  return id;
}

async function chosen(
  transaction: Transaction<Tables>,
  identity: Identity,
  requested: SnapshotRequest["competitions"],
): Promise<string[]> {
  if (requested === "ended") {
    requireRole(identity, "administrator");
    const ended = await publicEnded(transaction);
    if (ended.length === 0) throw new KernelBotError("conflict", "no public competition has ended");
    return ended;
  }
  const names = [...new Set(requested)].toSorted();
  await requireOrganiser(transaction, identity, names);
  const { rows } = await sql<Candidate>`${sql.raw(CANDIDATES)} where name = any(${names}::text[])`.execute(transaction);
  for (const candidate of rows) {
    const refusal = exportObstacle(candidate);
    if (refusal !== null) throw new KernelBotError("conflict", refusal);
  }
  return names;
}

/** Returns all competitions that may be exported without being named; unlisted ones must be named. */
export async function publicEnded(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<Candidate>`${sql.raw(CANDIDATES)} where visibility = 'public' order by name`.execute(db);
  return rows.filter((candidate) => exportObstacle(candidate) === null).map(({ name }) => name);
}

/** Returns snapshots, newest first. Only organisers see snapshots that are not ready. */
export async function listSnapshots(database: Database, viewer: Viewer): Promise<Snapshot[]> {
  const rows = await snapshotRows(database, viewer, listed(viewer, "competition.name"))
    .orderBy("dataset_snapshot.id", "desc")
    .limit(1000)
    .execute();
  return rows.map(snapshotOf);
}

/**
 * Returns a snapshot with its manifest; `latest` is the newest ready, not provisional one that the viewer may list.
 * @throws KernelBotError `not_found`.
 */
export async function readSnapshot(
  database: Database,
  viewer: Viewer,
  id: number | "latest",
): Promise<SnapshotDetails> {
  const may = id === "latest" ? listed(viewer, "competition.name") : reachable(viewer, "competition.name");
  const row = await snapshotRows(database, viewer, may)
    .select("manifest")
    .$if(id === "latest", (query) => query.where("state", "=", "ready").where("provisional", "=", false))
    .$if(id !== "latest", (query) => query.where("dataset_snapshot.id", "=", id as number))
    .orderBy("dataset_snapshot.id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row !== undefined) return { ...snapshotOf(row), manifest: row.manifest };
  throw new KernelBotError("not_found", id === "latest" ? "no snapshot is ready yet" : `snapshot ${id} does not exist`);
}

/**
 * Returns the newest ready, not provisional snapshot that contains a competition; null if none is visible to the
 * viewer.
 */
export async function newestWith(database: Database, viewer: Viewer, competition: string): Promise<number | null> {
  const row = await snapshotRows(database, viewer, reachable(viewer, "competition.name"))
    .where("state", "=", "ready")
    .where("provisional", "=", false)
    .where(sql<boolean>`${competition} = any(competitions)`)
    .orderBy("dataset_snapshot.id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/**
 * Returns a file of a ready snapshot, and its path on disk.
 * @param directory Folder of all snapshots.
 * @throws KernelBotError `not_found`; `conflict` when the snapshot is not ready; `gone` when its files are deleted.
 */
export async function snapshotFile(
  database: Database,
  viewer: Viewer,
  directory: string,
  id: number | "latest",
  path: string,
): Promise<{ file: SnapshotFile; path: string }> {
  const { id: found, manifest, state } = await readSnapshot(database, viewer, id);
  if (manifest === null) throw new KernelBotError("conflict", `snapshot ${found} is ${state} and has no files`);
  if (await areDeleted(database, found)) {
    throw new KernelBotError("gone", `the files of snapshot ${found} were deleted; use the newest snapshot`);
  }
  const onDisk = join(folderOf(directory, found), path);
  if (path === MANIFEST) return { file: await describe(path, onDisk), path: onDisk };
  // Only paths that the manifest lists are opened, which prevents path traversal.
  const file = manifest.files.find((file) => file.path === path);
  if (file === undefined) throw new KernelBotError("not_found", `snapshot ${found} has no file ${quote(path)}`);
  return { file, path: onDisk };
}

async function areDeleted({ db }: Database, id: number): Promise<boolean> {
  const row = await db
    .selectFrom("dataset_snapshot")
    .select("files_deleted_at")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.files_deleted_at != null;
}

/** Returns size and hash of a small file that is not a table. */
export async function describe(path: string, onDisk: string): Promise<SnapshotFile> {
  const bytes = await readFile(onDisk);
  return { path, sizeBytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex"), rows: null };
}

/** Queries snapshots. @param may SQL condition that the viewer must meet for each competition of a snapshot. */
function snapshotRows({ db }: Database, viewer: Viewer, may: RawBuilder<boolean>) {
  const organises = viewer !== undefined && hasRole(viewer, "organiser");
  return db
    .selectFrom("dataset_snapshot")
    .select(["dataset_snapshot.id", "state", "competitions", "created_at", "finished_at", "rows_done", "rows_total"])
    .select(["message", "provisional"])
    .select(
      sql<number | null>`(select sum((file ->> 'sizeBytes')::bigint)::bigint
        from json_array_elements(manifest -> 'files') file)`.as("size_bytes"),
    )
    .select(
      sql<
        Snapshot["publications"]
      >`coalesce((select json_agg(json_build_object('destination', p.destination, 'state', p.state,
          'filesDone', files_done, 'filesTotal', files_total, 'bytesDone', bytes_done, 'bytesTotal', bytes_total,
          'url', url, 'message', p.message) order by p.destination)
        from dataset_publication p where p.snapshot_id = dataset_snapshot.id), '[]')`.as("publications"),
    )
    .where(
      sql<boolean>`not exists (select from competition
        where competition.name = any(dataset_snapshot.competitions) and not ${may})`,
    )
    .$if(!organises, (query) => query.where("state", "=", "ready"));
}

type SnapshotRow = Awaited<ReturnType<ReturnType<typeof snapshotRows>["execute"]>>[number];

function snapshotOf(row: SnapshotRow): Snapshot {
  return {
    id: row.id,
    state: row.state,
    provisional: row.provisional,
    competitions: row.competitions,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    progress: { done: row.rows_done, total: row.rows_total },
    message: row.message,
    sizeBytes: row.size_bytes,
    publications: row.publications,
  };
}
