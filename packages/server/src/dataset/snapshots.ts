/** Asking for snapshots, and reading them. They are made by `build.ts`. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CompiledQuery, sql, type RawBuilder, type Transaction } from "kysely";
import {
  KernelBotError,
  quote,
  type Snapshot,
  type SnapshotDetails,
  type SnapshotFile,
  type SnapshotRequest,
} from "@kernelbot/core";
import { listed, reachable, type Viewer } from "../competitions/access.ts";
import { requireOrganiser } from "../competitions/organisers.ts";
import type { Database } from "../db/database.ts";
import { hasRole, requireRole, type Identity } from "../db/identity.ts";
import { retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";
import { audit } from "../people/audit.ts";
import { CANDIDATES, UNFINISHED_RUNS, whyNot, whyNotYet, type Candidate, type Unfinished } from "./exportable.ts";

/** The name under which a snapshot has its own description. */
export const MANIFEST = "dataset.json";

/** Any number that no one else locks. */
const LOCK = 7_236_116;

/** The folder of a snapshot's files, below that of all snapshots. */
export function folderOf(directory: string, id: number): string {
  return join(directory, String(id));
}

/**
 * Has a snapshot made. Where the same is being made already, that one is given.
 * @throws KernelBotError `forbidden` but for organisers of all that is named, and where all ended ones are asked for but
 * for administrators; `not_found`; `conflict` where a competition may not be exported, none has ended, or one has
 * unfinished runs and no provisional snapshot is asked for.
 */
export async function requestSnapshot(
  database: Database,
  identity: Identity,
  request: SnapshotRequest,
): Promise<Snapshot> {
  const id = await retrying(() =>
    database.db.transaction().execute(async (transaction) => {
      const competitions = await chosen(transaction, identity, request.competitions);
      const { provisional = false } = request;
      const notYet = provisional ? null : whyNotYet(await unfinishedOf(transaction, competitions));
      if (notYet !== null) throw new KernelBotError("conflict", notYet);
      return insertSnapshot(transaction, competitions, identity, provisional);
    }),
  );
  return readSnapshot(database, identity, id);
}

/** The named competitions that have unfinished runs. */
export async function unfinishedOf(
  transaction: Transaction<Tables>,
  competitions: readonly string[],
): Promise<Unfinished[]> {
  return (await transaction.executeQuery<Unfinished>(CompiledQuery.raw(UNFINISHED_RUNS, [competitions]))).rows;
}

/** @param identity Who asks; null where the server does. @returns the number of the snapshot. */
export async function insertSnapshot(
  transaction: Transaction<Tables>,
  competitions: readonly string[],
  identity: Identity | null,
  provisional = false,
): Promise<number> {
  // Who asks at the same time finds what the other has stored.
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
  asked: SnapshotRequest["competitions"],
): Promise<string[]> {
  if (asked === "ended") {
    requireRole(identity, "administrator");
    const ended = await publicEnded(transaction);
    if (ended.length === 0) throw new KernelBotError("conflict", "there is no public competition that has ended");
    return ended;
  }
  const names = [...new Set(asked)].toSorted();
  await requireOrganiser(transaction, identity, names);
  const { rows } = await sql<Candidate>`${sql.raw(CANDIDATES)} where name = any(${names}::text[])`.execute(transaction);
  for (const candidate of rows) {
    const refusal = whyNot(candidate);
    if (refusal !== null) throw new KernelBotError("conflict", refusal);
  }
  return names;
}

/** All that may be exported without being named: unlisted ones are asked for by name alone. */
export async function publicEnded(transaction: Transaction<Tables>): Promise<string[]> {
  const { rows } = await sql<Candidate>`${sql.raw(CANDIDATES)} where visibility = 'public' order by name`.execute(
    transaction,
  );
  return rows.filter((candidate) => whyNot(candidate) === null).map(({ name }) => name);
}

/** The newest first. Those that are not ready stand in the lists of organisers alone. */
export async function listSnapshots(database: Database, viewer: Viewer): Promise<Snapshot[]> {
  const rows = await retrying(() =>
    snapshotRows(database, viewer, listed(viewer, "competition.name"))
      .orderBy("dataset_snapshot.id", "desc")
      .limit(1000)
      .execute(),
  );
  return rows.map(snapshotOf);
}

/**
 * A snapshot with its manifest; `latest` is the newest ready one of the viewer's list that is not provisional.
 * @throws KernelBotError `not_found`.
 */
export async function readSnapshot(
  database: Database,
  viewer: Viewer,
  id: number | "latest",
): Promise<SnapshotDetails> {
  const may = id === "latest" ? listed(viewer, "competition.name") : reachable(viewer, "competition.name");
  const row = await retrying(() =>
    snapshotRows(database, viewer, may)
      .select("manifest")
      .$if(id === "latest", (query) => query.where("state", "=", "ready").where("provisional", "=", false))
      .$if(id !== "latest", (query) => query.where("dataset_snapshot.id", "=", id as number))
      .orderBy("dataset_snapshot.id", "desc")
      .limit(1)
      .executeTakeFirst(),
  );
  if (row !== undefined) return { ...snapshotOf(row), manifest: row.manifest };
  throw new KernelBotError("not_found", id === "latest" ? "there is no snapshot yet" : `there is no snapshot ${id}`);
}

/** The newest ready snapshot with the final data of a competition; null where there is none that the viewer reaches. */
export async function newestWith(database: Database, viewer: Viewer, competition: string): Promise<number | null> {
  const row = await retrying(() =>
    snapshotRows(database, viewer, reachable(viewer, "competition.name"))
      .where("state", "=", "ready")
      .where("provisional", "=", false)
      .where(sql<boolean>`${competition} = any(competitions)`)
      .orderBy("dataset_snapshot.id", "desc")
      .limit(1)
      .executeTakeFirst(),
  );
  return row?.id ?? null;
}

/**
 * A file of a ready snapshot, and where it lies.
 * @param directory That of all snapshots.
 * @throws KernelBotError `not_found`; `conflict` where the snapshot is not ready, `gone` where its files are deleted.
 */
export async function snapshotFile(
  database: Database,
  viewer: Viewer,
  directory: string,
  id: number | "latest",
  path: string,
): Promise<{ file: SnapshotFile; path: string }> {
  const { id: found, manifest, state } = await readSnapshot(database, viewer, id);
  if (manifest === null) throw new KernelBotError("conflict", `snapshot ${found} is ${state}, and has no files`);
  if (await areDeleted(database, found)) {
    throw new KernelBotError("gone", `the files of snapshot ${found} are deleted; take the newest one`);
  }
  const onDisk = join(folderOf(directory, found), path);
  if (path === MANIFEST) return { file: await describe(path, onDisk), path: onDisk };
  // Only what the manifest names is looked for, so a path leads nowhere else.
  const file = manifest.files.find((file) => file.path === path);
  if (file === undefined) throw new KernelBotError("not_found", `snapshot ${found} has no file ${quote(path)}`);
  return { file, path: onDisk };
}

async function areDeleted({ db }: Database, id: number): Promise<boolean> {
  const row = await retrying(() =>
    db.selectFrom("dataset_snapshot").select("files_deleted_at").where("id", "=", id).executeTakeFirst(),
  );
  return row?.files_deleted_at != null;
}

/** Of a small file that is no table. */
export async function describe(path: string, onDisk: string): Promise<SnapshotFile> {
  const bytes = await readFile(onDisk);
  return { path, sizeBytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex"), rows: null };
}

/** @param may What the viewer must be allowed with each competition of a snapshot. */
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
      sql<Snapshot["publications"]>`coalesce((select json_agg(json_build_object('place', place, 'state', p.state,
          'filesDone', files_done, 'filesTotal', files_total, 'bytesDone', bytes_done, 'bytesTotal', bytes_total,
          'url', url, 'message', p.message) order by place)
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
