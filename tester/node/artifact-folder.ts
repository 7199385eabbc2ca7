/** Temporary folder of a job's artifacts: private, and removed after the job. */
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "./kill-tree.ts";

const PREFIX = "kernelbot-artifacts-";

export interface ArtifactFolder extends AsyncDisposable {
  path: string;
}

/** Creates an empty folder accessible only to this user; disposing of it removes it with its contents. */
export async function openArtifactFolder(): Promise<ArtifactFolder> {
  const path = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Removes artifact folders of this user whose process was killed. */
export async function clearStaleArtifactFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^kernelbot-artifacts-(\d+)-\w+$/.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const path = join(tmpdir(), name);
    const found = await lstat(path).catch(() => null);
    if (found?.isDirectory() && found.uid === process.getuid?.()) await rm(path, { recursive: true, force: true });
  }
}
