/**
 * Temporary data folders, each with an embedded PostgreSQL of its own. The name of a folder says which process owns it,
 * so that what a killed process left behind is stopped and deleted.
 */
import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../log.ts";
import { stopAbandoned } from "./embedded.ts";
import { identityOf } from "./process.ts";

const PREFIX = "restore-test-";

/** Creates a folder in `parent`, which the caller deletes. */
export async function createTemporaryFolder(parent: string): Promise<string> {
  // PostgreSQL's user must be able to enter the folders, and cannot list them.
  await mkdir(parent, { recursive: true, mode: 0o711 });
  const folder = join(parent, `${PREFIX}${identityOf(process.pid)}-${randomBytes(4).toString("hex")}`);
  await mkdir(folder, { mode: 0o711 });
  return folder;
}

/** Stops the databases and deletes the folders of processes that have ended. */
export async function deleteAbandonedFolders(parent: string, log: Log): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const [, owner = "", pid = ""] = /^((\d+)-\w+)-\w+$/.exec(name.slice(PREFIX.length)) ?? [];
    if (pid !== "" && identityOf(Number(pid)) === owner) continue;
    const folder = join(parent, name);
    await stopAbandoned(join(folder, "postgres"));
    await rm(folder, { recursive: true, force: true });
    log(`deleted ${folder}, which a process that has ended left behind`);
  }
}
