/** Deletes the files of old snapshots. Their rows stay: what was published, and when, is known for ever. */
import { readdir, rm } from "node:fs/promises";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import { folderOf } from "./snapshots.ts";

/**
 * @param directory That of all snapshots.
 * @param keep How many keep their files, the newest; besides them those that are on their way to a place.
 */
export async function deleteOldSnapshots({ db }: Database, directory: string, keep: number): Promise<void> {
  // First they are said to be gone, so that nobody finds half of one. What a crash leaves, the next time deletes.
  await retrying(() =>
    db
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
      .execute(),
  );
  const folders = (await readdir(directory).catch(noneYet)).filter((name) => /^\d{1,15}$/.test(name)).map(Number);
  if (folders.length === 0) return;
  const deleted = await retrying(() =>
    db
      .selectFrom("dataset_snapshot")
      .select("id")
      .where("id", "in", folders)
      .where("files_deleted_at", "is not", null)
      .execute(),
  );
  for (const { id } of deleted) await rm(folderOf(directory, id), { recursive: true, force: true });
}

function noneYet(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
