/**
 * Who PostgreSQL runs as. It refuses root, so under root it gets a user id of its own: one that no daemon and no sandbox
 * runs as, so that nothing else on the machine can read its files or reach its socket.
 */
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { childEnvironment, KernelBotError } from "@kernelbot/core";

export interface Owner {
  uid: number;
  gid: number;
}

/** Without an entry in /etc/passwd, and below 65536 so that containers that map few ids know it. */
const OWN_ID = 54_329;

/** initdb alone asks for the name of its user, so it runs as one that has a name; its files change hands afterwards. */
export const NAMED_OWNER: Owner = { uid: 65_534, gid: 65_534 };

/**
 * The user that owns the cluster, or undefined where that is ourselves.
 * @throws KernelBotError where the cluster belongs to someone whom we cannot become.
 */
export function ownerOf(cluster: string): Owner | undefined {
  const ourselves = process.getuid?.();
  const existing = existsSync(cluster) ? statSync(cluster) : undefined;
  if (ourselves !== 0) {
    if (existing !== undefined && ourselves !== undefined && existing.uid !== ourselves) {
      throw new KernelBotError(
        "forbidden",
        `${cluster} belongs to user id ${existing.uid}; start the server as that user or as root, or choose another folder`,
      );
    }
    return undefined;
  }
  if (existing !== undefined && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  return { uid: OWN_ID, gid: OWN_ID };
}

/** @throws KernelBotError that names the folder that the owner cannot enter. */
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

/** Tried and not computed from mode bits, since access lists and mounts also have a say. */
function canEnter(directory: string, owner: Owner): boolean {
  const options = { ...owner, cwd: "/", env: childEnvironment(process.env), stdio: "ignore" } as const;
  return spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", directory], options).status === 0;
}
