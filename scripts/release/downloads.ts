/** Writes what servers offer to those who install from them. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { zipSync } from "fflate";
import { CHECKSUMS } from "../../packages/server/src/downloads/downloads.ts";
import { writeClientWheel } from "./client-wheel.ts";
import { writeExecutable, type Platform } from "./executable.ts";
import { writeWheel } from "./wheel.ts";

export interface DownloadOptions {
  /** Platforms whose executables are made. */
  platforms: readonly Platform[];
  /** Folder of compressed executables that were made on other machines, which are offered too. */
  executables?: string | undefined;
  /** Reports a step that begins. */
  begin: (step: string) => void;
}

/**
 * Replaces the content of a folder by the packages, executables that contain them, wheels of the runner and of the Python
 * client, and the checksums.
 * @param programs Folders of the packages.
 */
export async function writeDownloads(
  programs: readonly string[],
  { platforms, executables, begin }: DownloadOptions,
  folder: string,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  begin("archives of the command line and the runner");
  for (const program of programs) await pack(program, folder);
  begin("wheel of the Python client");
  await writeClientWheel(folder);
  for (const platform of platforms) {
    begin(`executable for ${platform}`);
    await writeCompressedExecutable(programs, platform, folder);
  }
  if (executables !== undefined) await cp(executables, folder, { recursive: true });
  await writeChecksums(folder);
}

async function writeCompressedExecutable(
  programs: readonly string[],
  platform: Platform,
  folder: string,
): Promise<void> {
  const executable = join(folder, `kernelbot-${platform}`);
  await writeExecutable(programs, platform, executable);
  // Windows opens .zip without further programs. Its times are local times, of any time zone.
  if (platform.startsWith("win")) {
    const file = [await readFile(executable), { mtime: new Date(1985, 9, 26) }] as const;
    await writeFile(`${executable}.zip`, zipSync({ "kernelbot.exe": [...file] }, { level: 9 }));
  } else {
    // Level 9 would take 10 s instead of 4, for 0.3 % less.
    await pipeline(createReadStream(executable), createGzip(), createWriteStream(`${executable}.gz`));
    await writeWheel(`${executable}.gz`, platform, folder);
  }
  await rm(executable);
}

/** Packs the folder of a package as npm publishes it. */
export async function pack(folder: string, destination: string): Promise<void> {
  // Modes depend on the umask. npm makes the programs executable.
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
  await promisify(execFile)("npm", ["pack", folder, "--silent", "--pack-destination", destination]);
}

/** Writes the SHA-256 of each file of a folder, in the format of sha256sum, to `SHA256SUMS` in it. */
export async function writeChecksums(folder: string): Promise<void> {
  const lines: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(join(folder, name)), hash);
    lines.push(`${hash.digest("hex")}  ${name}\n`);
  }
  await writeFile(join(folder, CHECKSUMS), lines.join(""));
}
