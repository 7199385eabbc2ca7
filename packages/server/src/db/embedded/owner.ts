/**
 * The user that PostgreSQL runs as. PostgreSQL refuses to run as root, so under root it gets a user id of its own,
 * which no daemon and no sandbox uses, so that no other process can read its files or reach its socket.
 */
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { KernelBotError } from "@kernelbot/core";
import { childEnvironment } from "@kernelbot/tester/child-environment";

export interface Owner {
  uid: number;
  gid: number;
}

/** Has no entry in /etc/passwd, and is below 65536 so that containers that map few ids include it. */
const OWN_ID = 54_329;

/** Only initdb requires that its user has a name, so it runs as this one; its files are then given to the owner. */
export const NAMED_OWNER: Owner = { uid: 65_534, gid: 65_534 };

/**
 * Returns the user that owns the cluster, or undefined when it is the current user.
 * @throws KernelBotError when the cluster belongs to a user that this process cannot become.
 */
export function ownerOf(cluster: string): Owner | undefined {
  const ourselves = process.getuid?.();
  const existing = existsSync(cluster) ? statSync(cluster) : undefined;
  if (ourselves !== 0) {
    if (existing !== undefined && ourselves !== undefined && existing.uid !== ourselves) {
      throw new KernelBotError(
        "forbidden",
        `${cluster} belongs to user id ${existing.uid}, but this is user id ${ourselves}: start the server as that user or as ` +
          `root, or give the folder to this one (sudo chown -R ${ourselves} ${dirname(cluster)})`,
      );
    }
    return undefined;
  }
  if (existing !== undefined && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  return { uid: OWN_ID, gid: OWN_ID };
}

/**
 * Checks the owner of the cluster's files, which a copy or a move by another user may change: PostgreSQL reads only
 * files of the user that it runs as.
 * @throws KernelBotError that says how to change the owner.
 */
export function requireOwnFiles(cluster: string, owner: Owner | undefined): void {
  const uid = owner?.uid ?? process.getuid?.();
  const other = ["", "PG_VERSION", "global", "global/pg_control", "base", "pg_wal"]
    .map((name) => join(cluster, name))
    .find((path) => existsSync(path) && statSync(path).uid !== uid);
  if (uid === undefined || other === undefined || !existsSync(join(cluster, "PG_VERSION"))) return;
  throw new KernelBotError(
    "forbidden",
    `${other} belongs to user id ${statSync(other).uid}, as after a copy or a move by another user, and the database runs as ` +
      `user id ${uid}: give it back with chown -R ${uid}:${owner?.gid ?? process.getgid?.() ?? uid} ${cluster}`,
  );
}

/**
 * Checks that the owner may enter the folder.
 * @throws KernelBotError that names the folder that the owner cannot enter.
 */
export function requireReach(directory: string, owner: Owner | undefined): void {
  if (owner === undefined || canEnter(directory, owner)) return;
  let closed = directory;
  while (dirname(closed) !== closed && !canEnter(dirname(closed), owner)) closed = dirname(closed);
  throw new KernelBotError(
    "forbidden",
    `the database cannot use ${directory}: PostgreSQL refuses to run as root and so runs as user id ${owner.uid}, ` +
      `which may not enter ${closed}. Choose a folder that every user may enter, such as /var/lib/kernelbot, ` +
      `or start the server as another user than root`,
  );
}

/** Tries to enter the folder instead of reading mode bits, because ACLs and mounts also decide. */
function canEnter(directory: string, owner: Owner): boolean {
  const options = { ...owner, cwd: "/", env: childEnvironment(process.env), stdio: "ignore" } as const;
  return spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", directory], options).status === 0;
}
