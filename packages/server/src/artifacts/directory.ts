/** The object store as a directory. An object gets its name when it is whole, so nobody ever reads half of one. */
import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { spool } from "./spool.ts";
import type { ObjectStore } from "./store.ts";

/** No upload takes this long, so that what is older was left by a server that was killed, of several perhaps; ms. */
const STALE_MS = 60 * 60 * 1000;

/** Opens a store in a directory of its own, and clears away what a killed server has left there unfinished. */
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

/** A name that was given is on disk only with its directory. */
async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path);
  await directory.sync();
}

/** Null where there is no such file; any other fault stays one. */
function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
