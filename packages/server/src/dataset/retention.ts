/** Deletes the files of old snapshots. Their rows are kept, as a record of what was published and when. */
import { readdir, rm } from "node:fs/promises";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { folderOf } from "./snapshots.ts";

/**
 * Deletes the files of all but the newest snapshots.
 * @param directory Folder of all snapshots.
 * @param keep Number of newest snapshots that keep their files; snapshots that are being published keep theirs too.
 */
export async function deleteOldSnapshots({ db }: Database, directory: string, keep: number): Promise<void> {
  // Marked as deleted first, so that no reader finds half a snapshot. Files that remain after a crash are deleted by
  // the next call.
  await idempotent(db)
    .updateTable("dataset_snapshot")
    .set({ files_deleted_at: new Date() })
    .where("state", "=", "ready")
    .where("files_deleted_at", "is", null)
    .where("id", "not in", (query) =>
      query
        .selectFrom("dataset_snapshot as newest")
        .select("newest.id")
        .where("newest.state", "=", "ready")
        .orderBy("newest.id", "desc")
        .limit(keep),
    )
    .where("id", "not in", (query) =>
      query.selectFrom("dataset_publication").select("snapshot_id").where("due_at", "is not", null),
    )
    .execute();
  const folders = (await readdir(directory).catch(noneYet)).filter((name) => /^\d{1,15}$/.test(name)).map(Number);
  if (folders.length === 0) return;
  const deleted = await db
    .selectFrom("dataset_snapshot")
    .select("id")
    .where("id", "in", folders)
    .where("files_deleted_at", "is not", null)
    .execute();
  for (const { id } of deleted) await rm(folderOf(directory, id), { recursive: true, force: true });
}

function noneYet(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
