/** Writes what servers offer to those who install from them. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { CHECKSUMS } from "../../packages/server/src/downloads/downloads.ts";
import { buildExecutable, type Platform } from "./executable.ts";

/**
 * Replaces the content of a folder by the packages, executables that contain them, and the checksums.
 * @param programs Folders of the packages.
 */
export async function writeDownloads(
  programs: readonly string[],
  platforms: readonly Platform[],
  folder: string,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const program of programs) await pack(program, folder);
  for (const platform of platforms) {
    const executable = await buildExecutable(programs, platform, folder);
    await pipeline(createReadStream(executable), createGzip({ level: 9 }), createWriteStream(`${executable}.gz`));
    await rm(executable);
  }
  await writeChecksums(folder);
}

/** Packs the folder of a package as npm publishes it. */
export async function pack(folder: string, destination: string): Promise<void> {
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
