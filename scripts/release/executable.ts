/**
 * Makes single executables: a Node.js that contains `kernelbot` and `kernelbot-runner`, and runs the one whose name it is
 * started by, so that one download serves both. They need no installed Node.js.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { serialize } from "node:v8";
import { gzipSync } from "node:zlib";
import { ROOT } from "./bundle.ts";

const run = promisify(execFile);

const POSTJECT = join(ROOT, "node_modules/.bin/postject");

/** Platforms of the executables, as the npm packages of Node.js name them. */
export const PLATFORMS = ["linux-x64", "linux-arm64", "win-x64", "darwin-arm64", "darwin-x64"] as const;
export type Platform = (typeof PLATFORMS)[number];

/** Platforms whose executables run wherever they were made. macOS runs only signed ones, and they are signed on macOS. */
export const PORTABLE_PLATFORMS = PLATFORMS.filter((platform) => !platform.startsWith("darwin"));

/** Marks in Node.js where the blob is announced, from its documentation of single executable applications. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Writes an executable.
 * @param packages Folders of the built packages; the first is run under any name that is not a package's.
 * @throws for macOS on other systems and on other processors, since it is signed there.
 */
export async function writeExecutable(
  packages: readonly string[],
  platform: Platform,
  executable: string,
): Promise<void> {
  const isSigned = platform.startsWith("darwin");
  // The blob depends on the version that makes it.
  const node = isSigned ? ownNode(platform) : await fetchNode(platform, process.versions.node);
  await copyFile(node, executable);
  await chmod(executable, 0o755);
  if (isSigned) await run("codesign", ["--remove-signature", executable]);
  const folder = await mkdtemp(join(tmpdir(), "kernelbot-executable-"));
  try {
    const blob = await writeBlob(packages, folder);
    const segment = isSigned ? ["--macho-segment-name", "NODE_SEA"] : [];
    await run(POSTJECT, [executable, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE, ...segment]);
  } finally {
    await rm(folder, { recursive: true });
  }
  if (isSigned) await run("codesign", ["--sign", "-", executable]);
}

/** Returns the Node.js that runs this program. npm has those for macOS only of some versions. */
function ownNode(platform: Platform): string {
  const own = `${process.platform}-${process.arch}`;
  if (platform !== own) throw new Error(`the executable for ${platform} is made and signed there, and this is ${own}`);
  return process.execPath;
}

/** Writes the blob with the packages into a folder. @returns its path */
async function writeBlob(packages: readonly string[], folder: string): Promise<string> {
  const files = (await Promise.all(packages.map(filesOf))).flat();
  const bytes = gzipSync(serialize(files), { level: 9 });
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  await writeFile(join(folder, "files"), bytes);
  const programs = packages.map((each) => basename(each));
  await writeFile(join(folder, "contents.json"), JSON.stringify({ hash, programs }));
  await copyFile(join(import.meta.dirname, "executable-main.cjs"), join(folder, "main.cjs"));
  // The blob contains these paths, which must be the same on each machine.
  const assets = { files: "files", "contents.json": "contents.json" };
  const config = { main: "main.cjs", output: "blob", disableExperimentalSEAWarning: true, assets };
  await writeFile(join(folder, "sea.json"), JSON.stringify(config));
  await run(process.execPath, ["--experimental-sea-config", "sea.json"], { cwd: folder });
  return join(folder, "blob");
}

/** Returns the files of a package with their paths below the folder of all packages, without source maps. */
async function filesOf(packageFolder: string): Promise<(readonly [string, Buffer])[]> {
  const entries = await readdir(packageFolder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".map"))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  return Promise.all(
    paths.map(async (path) => [relative(dirname(packageFolder), path), await readFile(path)] as const),
  );
}

/** Downloads the Node.js of a platform once. @returns its path */
export async function fetchNode(platform: Platform, version: string): Promise<string> {
  const folder = await fetchPackage(`node-${platform}`, version);
  return join(folder, "bin", platform.startsWith("win") ? "node.exe" : "node");
}

/** Downloads an npm package once, of any platform. @returns its folder */
export async function fetchPackage(name: string, version: string): Promise<string> {
  const folder = join(ROOT, "node_modules/.cache/kernelbot-packages", `${name.replace("/", "-")}-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  // Renamed once complete: an interrupted build must not leave a part of a package for the next one.
  const draft = await mkdtemp(`${folder}.`);
  try {
    const { stdout } = await run("npm", ["pack", `${name}@${version}`, "--silent", "--pack-destination", draft]);
    await run("tar", ["-xzf", join(draft, stdout.trim()), "-C", draft]);
    await rename(join(draft, "package"), folder);
  } finally {
    await rm(draft, { recursive: true });
  }
  return folder;
}
