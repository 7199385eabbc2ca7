/** A folder with backups, or of one backup: on a disk or in an S3-compatible bucket. */
import { createReadStream, createWriteStream } from "node:fs";
import { access, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { s3OptionsOf, type S3Options } from "../../artifacts/s3/options.ts";
import { listObjects } from "../../artifacts/s3/list.ts";
import { readObject } from "../../artifacts/s3/read.ts";
import { discard, requestWithRetries, RETRY_POLICY } from "../../artifacts/s3/request.ts";
import { uploadObject } from "../../artifacts/s3/upload.ts";

/** Paths are relative to the folder, with slashes. */
export interface BackupFolder {
  /** Path, or `s3://BUCKET/PREFIX`. */
  readonly address: string;
  /** Writes a new file, which is complete and durable once this resolves. Memory does not grow with the file. */
  write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Returns a stream of a file; null if it does not exist. */
  read(path: string): Promise<Readable | null>;
  /** Returns the paths of all files; none if the folder does not exist. */
  list(): Promise<string[]>;
  /** Returns the names of the folders directly in this one, sorted. */
  folders(): Promise<string[]>;
  /** Returns a folder in this one, which need not exist. */
  folder(path: string): BackupFolder;
  /** Deletes the folder: first the files in `first`, then everything. */
  delete(first: readonly string[]): Promise<void>;
}

/**
 * Opens a folder that need not exist.
 * @param option Option with the address, for the error.
 * @throws KernelBotError `bad_request` for an invalid address of a bucket, or when its keys are missing.
 */
export function openBackupFolder(address: string, env: NodeJS.ProcessEnv, option: string): BackupFolder {
  return address.startsWith("s3://") ? inBucket(s3OptionsOf(address, env, option)) : onDisk(address);
}

/** Opens a folder on a disk. */
export function onDisk(root: string): BackupFolder {
  return {
    address: root,
    async write(path, bytes) {
      const file = join(root, path);
      // The names of files that are restored from a bucket are those of its objects.
      if (!resolve(file).startsWith(`${resolve(root)}${sep}`)) throw new Error(`the path ${path} leaves its folder`);
      // Backups contain secrets, such as the seeds of open competitions.
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await pipeline(bytes, createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }));
    },
    async read(path) {
      const file = join(root, path);
      return (await exists(file)) ? createReadStream(file) : null;
    },
    async list() {
      if (!(await exists(root))) return [];
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)));
    },
    async folders() {
      if (!(await exists(root))) return [];
      const entries = await readdir(root, { withFileTypes: true });
      return entries
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .toSorted();
    },
    folder: (path) => onDisk(join(root, path)),
    async delete(first) {
      for (const path of first) await rm(join(root, path), { force: true });
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Number of objects that are deleted at the same time. */
const DELETIONS = 8;

function inBucket(options: S3Options): BackupFolder {
  async function remove(name: string): Promise<void> {
    await discard(await requestWithRetries(options, { method: "DELETE", name }, RETRY_POLICY));
  }

  return {
    address: `s3://${options.bucket}/${options.prefix}`.replace(/\/$/, ""),
    write: (path, bytes) => uploadObject(options, path, bytes, RETRY_POLICY),
    read: (path) => readObject(options, path, RETRY_POLICY),
    list: () => listObjects(options, "", RETRY_POLICY),
    async folders() {
      const found = await listObjects(options, "", RETRY_POLICY, { folders: true });
      return found.map((name) => name.slice(0, -1)).toSorted();
    },
    folder: (path) => inBucket({ ...options, prefix: `${options.prefix}${path}/` }),
    async delete(first) {
      for (const name of first) await remove(name);
      const rest = await listObjects(options, "", RETRY_POLICY);
      const deleteRest = async (): Promise<void> => {
        for (let name = rest.pop(); name !== undefined; name = rest.pop()) await remove(name);
      };
      await Promise.all(Array.from({ length: DELETIONS }, deleteRest));
    },
  };
}
