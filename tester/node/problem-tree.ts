/** Reads the problem files of a folder for a sync or an upload: no solutions, data or hidden files. */
import type { Dirent } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, posix, sep } from "node:path";
import {
  formatBytes,
  KernelBotError,
  MAX_PROBLEM_FILE_BYTES,
  MAX_SYNC_BYTES,
  MAX_SYNC_FILES,
  quote,
  readProblem,
  withGpus,
  type DirectoryFile,
  type ProblemTree,
} from "@kernelbot/core";
import { findListing, MAX_PROBLEM_DEPTH } from "./competition-files.ts";

/**
 * Reads `folder/problems` if it exists, else the folder: the competition files at its top and, for each directory with
 * a `task.yml`, its files and the files that it shares with others.
 * @throws KernelBotError `unprocessable` when the folder does not exist, or contains more than one sync may send.
 */
export async function readProblemTree(folder: string): Promise<ProblemTree> {
  const inner = join(folder, "problems");
  const root = await realpath((await isFolder(inner)) ? inner : folder).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  const reader = new TreeReader(root);
  for (const entry of await reader.entries("")) {
    if (entry.isFile() && /^[^.].*\.ya?ml$/.test(entry.name)) await reader.file(entry.name);
  }
  await readFolder(reader, "", 0);
  if (reader.problems === 0) {
    throw new KernelBotError("unprocessable", `${quote(folder)} has no problem: SET/PROBLEM/task.yml is missing`);
  }
  return reader.tree;
}

/**
 * Reads one problem directory, with the files that it shares with others below the folder of its set's folder:
 * ROOT/SET/PROBLEM. It gets the name and targets that a competition file above states.
 * @param targets Targets of the problem if no file names one; the first is used.
 * @throws KernelBotError `unprocessable` when the folder does not exist, has no task.yml, or contains more than one upload may send.
 */
export async function readProblemFolder(folder: string, [requested]: readonly string[] = []): Promise<ProblemTree> {
  const path = await realpath(folder).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  const set = dirname(path);
  const reader = new TreeReader(dirname(set));
  const inRoot = posix.join(basename(set), basename(path));
  const entries = (await reader.entries(inRoot)).filter(({ name }) => !name.startsWith("."));
  if (!entries.some((entry) => entry.isFile() && entry.name === "task.yml")) {
    throw new KernelBotError("unprocessable", `${quote(folder)} is not a problem directory: task.yml is missing`);
  }
  await readDirectory(reader, inRoot, entries);
  const { listed } = findListing(path);
  const task = `${inRoot}/task.yml`;
  const text = reader.tree[task] ?? null;
  if (text !== null) reader.tree[task] = withGpus(text, { listed: listed?.gpus ?? null, requested: requested ?? null });
  return listed === null ? reader.tree : renamed(reader.tree, inRoot, posix.join(basename(set), listed.name));
}

/** Returns a tree in which a directory has another path. */
function renamed(tree: ProblemTree, from: string, to: string): ProblemTree {
  const move = (path: string): string => (path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path);
  return Object.fromEntries(Object.entries(tree).map(([path, text]) => [move(path), text]));
}

function unreadable(folder: string, cause: unknown): KernelBotError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason =
    code === "ENOENT" ? `directory ${quote(folder)} not found` : `${quote(folder)} cannot be read: ${message}`;
  return new KernelBotError("unprocessable", reason, { cause });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (about) => about.isDirectory(),
    () => false,
  );
}

class TreeReader {
  readonly tree: ProblemTree = {};
  problems = 0;
  readonly #root: string;
  readonly #files = new Map<string, DirectoryFile>();
  #bytes = 0;

  constructor(root: string) {
    this.#root = root;
  }

  entries(folder: string): Promise<Dirent[]> {
    return readdir(join(this.#root, folder), { withFileTypes: true });
  }

  /** Adds a regular file to the tree and returns it; null when it does not exist or is outside the root. */
  async file(path: string): Promise<DirectoryFile | null> {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const real = await realpath(join(this.#root, path)).catch(() => null);
    if (real === null || !real.startsWith(join(this.#root, sep))) return null;
    const about = await stat(real);
    if (!about.isFile()) return null;
    const text = about.size > MAX_PROBLEM_FILE_BYTES ? null : textOf(await readFile(real));
    this.tree[path] = text;
    const bytes = new TextEncoder().encode(text ?? "");
    this.#bytes += bytes.length;
    checkSize(Object.keys(this.tree).length, this.#bytes);
    const file = { name: posix.basename(path), sizeBytes: bytes.length, read: () => Promise.resolve(bytes) };
    this.#files.set(path, file);
    return file;
  }
}

/** @throws KernelBotError `unprocessable` when the texts of all files exceed the limits of a sync. */
export function checkTreeSize(texts: readonly (string | null)[]): void {
  checkSize(
    texts.length,
    texts.reduce((bytes, text) => bytes + Buffer.byteLength(text ?? ""), 0),
  );
}

function checkSize(files: number, bytes: number): void {
  if (files <= MAX_SYNC_FILES && bytes <= MAX_SYNC_BYTES) return;
  const most = `${MAX_SYNC_FILES} files or ${formatBytes(MAX_SYNC_BYTES)}`;
  const what = `the problems have more than ${most}; sync one set at a time, each from its own folder`;
  throw new KernelBotError("unprocessable", what);
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function readFolder(reader: TreeReader, folder: string, depth: number): Promise<void> {
  const entries = (await reader.entries(folder)).filter(({ name }) => !name.startsWith("."));
  if (depth > 0 && entries.some((entry) => entry.isFile() && entry.name === "task.yml")) {
    await readDirectory(reader, folder, entries);
    return;
  }
  if (depth === MAX_PROBLEM_DEPTH) return;
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    await readFolder(reader, posix.join(folder, name), depth + 1);
  }
}

/**
 * Adds a problem's files and, by reading the problem as the server does, the files that it lists. The server reports
 * the errors.
 */
async function readDirectory(reader: TreeReader, folder: string, entries: readonly Dirent[]): Promise<void> {
  reader.problems += 1;
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const listing = await Promise.all(names.map((name) => reader.file(posix.join(folder, name))));
  const present = listing.filter((file) => file !== null);
  try {
    await readProblem("problem", present, (path) => reader.file(posix.join(folder, path)));
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
  }
}
