/** The problems of a tree of files that somebody sent: the same rules as for a folder on disk, without one. */
import { posix } from "node:path";
import {
  KernelBotError,
  MAX_PROBLEM_FILE_BYTES,
  problemVersion,
  quote,
  readProblem,
  type DirectoryFile,
  type Problem,
  type ProblemTree,
} from "@kernelbot/core";

/** A directory with a `task.yml`, and what it holds: a problem, or what is wrong with it. */
export interface FoundProblem {
  name: string;
  set: string;
  path: string;
  read: { problem: Problem; version: string } | { error: string };
}

/** The problems of a tree, or of one set of it, in order of name. */
export async function problemsOf(tree: ProblemTree, set: string | null): Promise<FoundProblem[]> {
  const directories = Object.keys(tree)
    .filter((path) => posix.basename(path) === "task.yml")
    .map((path) => posix.dirname(path))
    .filter((path) => path !== "." && (set === null || setOf(path) === set))
    .toSorted();
  const found = await Promise.all(
    directories.map(async (path): Promise<FoundProblem> => {
      const name = posix.basename(path);
      return { name, set: setOf(path), path, read: await readIn(tree, path, name) };
    }),
  );
  return withoutDoubles(found).toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** What a directory lies in; one at the top is a set of its own. */
function setOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? path : folder;
}

async function readIn(tree: ProblemTree, path: string, name: string): Promise<FoundProblem["read"]> {
  const listing = Object.keys(tree)
    .filter((file) => posix.dirname(file) === path)
    .toSorted()
    .map((file) => fileOf(posix.basename(file), tree[file] ?? null));
  const find = (source: string): Promise<DirectoryFile | null> => {
    const file = posix.join(path, source);
    const isThere = Object.hasOwn(tree, file) && !source.startsWith("/");
    return Promise.resolve(isThere ? fileOf(source, tree[file] ?? null) : null);
  };
  try {
    const problem = await readProblem(name, listing, find);
    return { problem, version: await problemVersion(problem) };
  } catch (error) {
    if (error instanceof KernelBotError) return { error: error.message };
    throw error;
  }
}

function fileOf(name: string, text: string | null): DirectoryFile {
  if (text === null) {
    const what = `${quote(name)} is no UTF-8 text, or has more than ${MAX_PROBLEM_FILE_BYTES} bytes`;
    return { name, sizeBytes: 0, read: () => Promise.reject(new KernelBotError("unprocessable", what)) };
  }
  const bytes = new TextEncoder().encode(text);
  return { name, sizeBytes: bytes.length, read: () => Promise.resolve(bytes) };
}

/** Of directories with one name the first is taken, and the others are wrong. */
function withoutDoubles(found: readonly FoundProblem[]): FoundProblem[] {
  const first = new Map<string, FoundProblem>();
  return found.map((one) => {
    const before = first.get(one.name);
    if (before === undefined) first.set(one.name, one);
    return before === undefined
      ? one
      : { ...one, read: { error: `problem ${quote(one.name)} is in the set ${quote(before.set)} already` } };
  });
}
