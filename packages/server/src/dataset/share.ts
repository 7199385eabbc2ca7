/**
 * Shares the files of snapshots between servers: the server that made a snapshot uploads it to a bucket, from which the
 * others fetch it. Servers without a bucket share the folder itself. The work needs no lease: each server works on its
 * own folder, and an object that was uploaded before is skipped.
 */
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import type { SnapshotManifest } from "@kernelbot/core";
import type { ObjectStore } from "../artifacts/store.ts";
import type { Database } from "../db/database.ts";
import { folderOf, MANIFEST } from "./snapshots.ts";

export const SHARE_MS = 2000;

/** Opens the sharing. @param store A store used only for snapshots, because objects are deleted from it. */
export function openSharing({ db }: Database, directory: string, store: ObjectStore) {
  /** Snapshots that are both in the bucket and on the local disk. */
  const shared = new Set<number>();

  async function send(id: number, { files }: SnapshotManifest): Promise<void> {
    for (const { path, sizeBytes, sha256 } of files) {
      if ((await store.size(sha256)) === sizeBytes) continue;
      const stored = await store.put(createReadStream(join(folderOf(directory, id), path)), sizeBytes);
      if (stored.sha256 !== sha256) throw new Error(`${path} of snapshot ${id} differs from its manifest`);
    }
  }

  /** Fetches the files of a snapshot. @returns false while another server is still uploading them. */
  async function fetch(id: number, manifest: SnapshotManifest): Promise<boolean> {
    for (const { sizeBytes, sha256 } of manifest.files) if ((await store.size(sha256)) !== sizeBytes) return false;
    const unfinished = join(directory, `.fetching-${id}`);
    await rm(unfinished, { recursive: true, force: true });
    for (const { path, sha256 } of manifest.files) {
      const to = join(unfinished, path);
      await mkdir(dirname(to), { recursive: true });
      const bytes = await store.get(sha256);
      if (bytes === null) return false;
      await pipeline(bytes, createWriteStream(to, { flush: true }));
    }
    await writeFile(join(unfinished, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
    await rename(unfinished, folderOf(directory, id));
    return true;
  }

  return {
    /** Uploads snapshots that only this server has, and fetches those that are missing here. */
    async share(): Promise<void> {
      const rows = await db
        .selectFrom("dataset_snapshot")
        .select(["id", "manifest"])
        .where("state", "=", "ready")
        .where("files_deleted_at", "is", null)
        .where("id", "not in", [0, ...shared])
        .orderBy("id", "desc")
        .execute();
      for (const { id, manifest } of rows) {
        if (manifest === null) continue;
        const isHere = existsSync(folderOf(directory, id));
        if (isHere) await send(id, manifest);
        if (isHere || (await fetch(id, manifest))) shared.add(id);
      }
    },
    /** Deletes from the bucket the objects that only deleted snapshots contain. */
    async forget(): Promise<void> {
      const { rows } = await sql<{ sha256: string }>`
        with file as (
          select files_deleted_at, f ->> 'sha256' as sha256
          from dataset_snapshot, json_array_elements(manifest -> 'files') as f
          where state = 'ready' and (files_deleted_at is null or files_deleted_at > now() - interval '1 day')
        )
        select sha256 from file group by sha256 having bool_and(files_deleted_at is not null)`.execute(db);
      for (const { sha256 } of rows) await store.delete(sha256);
    },
  };
}
