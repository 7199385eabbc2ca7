/**
 * Makes single executables: a Node.js that contains a package. They need no installed Node.js, and are served to
 * participants and runners by `/install.sh` and `/install-runner.sh`.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { serialize } from "node:v8";
import { gzipSync } from "node:zlib";
import { ROOT } from "./bundle.ts";

const run = promisify(execFile);

const POSTJECT = join(ROOT, "node_modules/.bin/postject");

/** Platforms of the executables, as the npm packages of Node.js name them. Those of macOS must be signed on macOS. */
export const PLATFORMS = ["linux-x64", "linux-arm64"] as const;
export type Platform = (typeof PLATFORMS)[number] | "darwin-arm64" | "darwin-x64" | "win-x64";

/** Marks in Node.js where the blob is announced, from its documentation of single executable applications. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Writes `NAME-PLATFORM` into a folder.
 * @param packageFolder Folder of a built package.
 * @returns its path
 */
export async function buildExecutable(packageFolder: string, platform: Platform, outdir: string): Promise<string> {
  const isWindows = platform.startsWith("win");
  const name = basename(packageFolder);
  const executable = join(outdir, `${name}-${platform}${isWindows ? ".exe" : ""}`);
  await mkdir(outdir, { recursive: true });
  await copyFile(await fetchNode(platform), executable);
  await chmod(executable, 0o755);
  const folder = await mkdtemp(join(tmpdir(), "kernelbot-executable-"));
  try {
    const blob = await writeBlob(packageFolder, folder);
    const segment = platform.startsWith("darwin") ? ["--macho-segment-name", "NODE_SEA"] : [];
    await run(POSTJECT, [executable, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE, ...segment]);
  } finally {
    await rm(folder, { recursive: true });
  }
  return executable;
}

/** Writes the blob with the package into a folder. @returns its path */
async function writeBlob(packageFolder: string, folder: string): Promise<string> {
  const names = (await readdir(packageFolder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".map"))
    .map((entry) => join(entry.parentPath, entry.name).slice(packageFolder.length + 1))
    .toSorted();
  const files = await Promise.all(
    names.map(async (file) => [file, await readFile(join(packageFolder, file))] as const),
  );
  const bytes = gzipSync(serialize(files), { level: 9 });
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  await writeFile(join(folder, "files"), bytes);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: basename(packageFolder), hash }));
  await copyFile(join(import.meta.dirname, "executable-main.cjs"), join(folder, "main.cjs"));
  // The blob contains these paths, which must be the same on each machine.
  const assets = { files: "files", "package.json": "package.json" };
  const config = { main: "main.cjs", output: "blob", disableExperimentalSEAWarning: true, assets };
  await writeFile(join(folder, "sea.json"), JSON.stringify(config));
  await run(process.execPath, ["--experimental-sea-config", "sea.json"], { cwd: folder });
  return join(folder, "blob");
}

/** Returns the path of the Node.js of a platform, in the version of this process, since the blob depends on it. */
async function fetchNode(platform: Platform): Promise<string> {
  const version = process.versions.node;
  const folder = join(ROOT, "node_modules/.cache/kernelbot-node", `${platform}-${version}`);
  const program = join(folder, "package/bin", platform.startsWith("win") ? "node.exe" : "node");
  const found = await readFile(program).catch(() => null);
  if (found !== null) return program;
  await mkdir(folder, { recursive: true });
  const { stdout } = await run("npm", [
    "pack",
    `node-${platform}@${version}`,
    "--silent",
    "--pack-destination",
    folder,
  ]);
  await run("tar", ["-xzf", join(folder, stdout.trim()), "-C", folder]);
  return program;
}
