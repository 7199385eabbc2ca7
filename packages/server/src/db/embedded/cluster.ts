/** The data directory (cluster) of the embedded PostgreSQL: created once, checked before each start. */
import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KernelBotError } from "@kernelbot/core";
import { childEnvironment } from "@kernelbot/tester/child-environment";
import type { Binaries } from "./binaries.ts";
import { NAMED_OWNER, type Owner } from "./owner.ts";
import { unfinishedPath } from "./unfinished.ts";

export const DATABASE_USER = "kernelbot";

/** Longest path of a Unix socket, in bytes, that both macOS and Linux accept. */
const MAX_SOCKET_PATH = 103;
const SOCKET_NAME = ".s.PGSQL.5432";

/**
 * Creates the cluster when it is missing. Created in a temporary folder next to it and then renamed, so that it is
 * either complete or missing.
 */
export function ensureCluster(cluster: string, binaries: Binaries, owner: Owner | undefined): void {
  if (existsSync(join(cluster, "PG_VERSION"))) return requireVersion(cluster, binaries);
  const unfinished = unfinishedPath(cluster);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  if (owner !== undefined) chownSync(unfinished, NAMED_OWNER.uid, NAMED_OWNER.gid);
  const { status, stderr, error } = spawnSync(
    binaries.initdb,
    ["-D", unfinished, "-U", DATABASE_USER, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions"],
    {
      ...(owner === undefined ? {} : NAMED_OWNER),
      cwd: "/",
      env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" },
      encoding: "utf8",
    },
  );
  if (status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new KernelBotError(
      "unavailable",
      `the database could not be created in ${cluster}: ${error?.message ?? stderr}`,
    );
  }
  if (owner !== undefined) chownTree(unfinished, owner);
  renameSync(unfinished, cluster);
}

function requireVersion(cluster: string, { postgres }: Binaries): void {
  const made = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  const { stdout } = spawnSync(postgres, ["--version"], { env: childEnvironment(process.env), encoding: "utf8" });
  const ours = /\) (\d+)/.exec(stdout)?.[1] ?? "";
  if (made === ours) return;
  throw new KernelBotError(
    "unavailable",
    `${cluster} was created by PostgreSQL ${made}, but this is ${ours}; move it aside, or dump and restore it with PostgreSQL ${made}`,
  );
}

/**
 * Creates the folder of the Unix socket: inside the data folder, or in the temporary folder when that path would be too
 * long.
 * Only the owner and root may enter it. File permissions are the only access control: there is no TCP port and no
 * password.
 */
export function makeSocketDirectory(dataDir: string, owner: Owner | undefined): string {
  let directory = join(dataDir, "socket");
  if (Buffer.byteLength(socketPath(directory)) > MAX_SOCKET_PATH) directory = mkdtempSync(join(tmpdir(), "kernelbot-"));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
  return directory;
}

/** Removes the folder of the socket, which the next start creates again. A folder that is not empty is kept. */
export function removeSocketDirectory(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && ["ENOTEMPTY", "ENOENT"].includes(String(error.code))))
      throw error;
  }
}

export function socketPath(directory: string): string {
  return join(directory, SOCKET_NAME);
}

function chownTree(path: string, owner: Owner): void {
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    chownSync(join(entry.parentPath, entry.name), owner.uid, owner.gid);
  }
  chownSync(path, owner.uid, owner.gid);
}
