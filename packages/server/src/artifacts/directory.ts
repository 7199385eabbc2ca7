/**
 * Object store in a directory. An object is renamed to its final name when it is complete, so that partial objects are
 * never read.
 */
import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { spool } from "./spool.ts";
import type { ObjectStore } from "./store.ts";

/**
 * Age after which an unfinished upload was left by a server that ended, in milliseconds. Longer than any upload,
 * because several servers may share the directory.
 */
const STALE_MS = 60 * 60 * 1000;

/** Opens a store in its own directory, and deletes unfinished uploads of servers that ended. */
export async function openDirectoryStore(directory: string): Promise<ObjectStore> {
  const unfinished = join(directory, "unfinished");
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  for (const name of await readdir(unfinished)) {
    const path = join(unfinished, name);
    const found = await stat(path).catch(orNull);
    if (found !== null && Date.now() - found.mtimeMs > STALE_MS) await rm(path, { force: true });
  }

  function pathOf(sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError("not a SHA-256 in hexadecimal");
    return join(directory, sha256.slice(0, 2), sha256);
  }

  return {
    async put(bytes, maxBytes) {
      const path = join(unfinished, randomUUID());
      const stored = await spool(path, bytes, maxBytes);
      const { sha256 } = stored;
      try {
        await mkdir(dirname(pathOf(sha256)), { recursive: true, mode: 0o700 });
        await rename(path, pathOf(sha256));
        await syncDirectory(dirname(pathOf(sha256)));
        return stored;
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },
    async get(sha256) {
      const file = await open(pathOf(sha256)).catch(orNull);
      return file === null ? null : file.createReadStream();
    },
    async size(sha256) {
      const found = await stat(pathOf(sha256)).catch(orNull);
      return found === null ? null : found.size;
    },
    delete: (sha256) => rm(pathOf(sha256), { force: true }),
    link: async () => null,
    async check() {
      const path = join(unfinished, randomUUID());
      await writeFile(path, "x", { flag: "wx", mode: 0o600 });
      await rm(path);
    },
  };
}

/** Syncs a directory, which makes a rename in it durable. */
async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path);
  await directory.sync();
}

/** Returns null for ENOENT; throws any other error. */
function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
