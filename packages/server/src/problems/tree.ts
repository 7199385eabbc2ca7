/** Parses the problems and competitions of a tree of files in memory. */
import { posix } from "node:path";
import {
  KernelBotError,
  MAX_PROBLEM_FILE_BYTES,
  problemVersion,
  quote,
  readCompetitionSource,
  readProblem,
  withGpus,
  type CompetitionSource,
  type DirectoryFile,
  type NamedDirectory,
  type Problem,
  type ProblemTree,
} from "@kernelbot/core";

/** A directory with a `task.yml`: a problem, or the error in it. */
export interface FoundProblem {
  name: string;
  set: string;
  path: string;
  /** Competition file that lists the directory, in the format that lists directories; else null. */
  file: string | null;
  read: { problem: Problem; version: string } | { error: string };
}

/** Competition file at the root: its content, or the error in it. */
export interface FoundCompetition {
  file: string;
  read: CompetitionSource | { error: string };
}

export interface FoundTree {
  /** Sorted by name. */
  problems: FoundProblem[];
  /** Sorted by file. */
  competitions: FoundCompetition[];
}

/** Parses a tree, or only one set of it: a folder, or the problems of the competition file with that name. */
export async function readTree(tree: ProblemTree, set: string | null): Promise<FoundTree> {
  const competitions = Object.keys(tree)
    .filter((path) => /^[^/.][^/]*\.ya?ml$/.test(path))
    .toSorted()
    .flatMap((file) => competitionIn(tree, file) ?? []);
  const named = competitions.flatMap(({ file, read }) =>
    "error" in read ? [] : read.directories.map((directory) => ({ ...directory, file })),
  );
  const isWanted = (path: string, file: string | null): boolean =>
    set === null || setOf(path) === set || (file !== null && stemOf(file) === set);
  const problems = await Promise.all([
    ...named
      .filter(({ directory, file }) => isWanted(directory, file))
      .map(async (one): Promise<FoundProblem> => {
        const { directory: path, name, file } = one;
        return { name, set: setOf(path), path, file, read: await readNamed(tree, one) };
      }),
    ...directoriesOf(tree)
      .filter((path) => named.every(({ directory }) => directory !== path) && isWanted(path, null))
      .map(async (path): Promise<FoundProblem> => {
        const name = posix.basename(path);
        return { name, set: setOf(path), path, file: null, read: await readIn(tree, path, name) };
      }),
  ]);
  return {
    problems: markDuplicates(problems).toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    competitions: competitions.filter(({ file }) => set === null || stemOf(file) === set),
  };
}

function directoriesOf(tree: ProblemTree): string[] {
  return Object.keys(tree)
    .filter((path) => posix.basename(path) === "task.yml")
    .map((path) => posix.dirname(path))
    .filter((path) => path !== ".")
    .toSorted();
}

/** Returns the parent folder of a problem directory; a directory at the top is its own set. */
function setOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? path : folder;
}

export function stemOf(file: string): string {
  return file.replace(/\.ya?ml$/, "");
}

/** Parses a competition file; null if the file is not one. */
function competitionIn(tree: ProblemTree, file: string): FoundCompetition | null {
  const text = tree[file] ?? null;
  try {
    if (text === null) throw new KernelBotError("unprocessable", "it is not UTF-8 text");
    const read = readCompetitionSource(stemOf(file), text);
    return read === null ? null : { file, read };
  } catch (error) {
    if (error instanceof KernelBotError) return { file, read: { error: `${file}: ${error.message}` } };
    throw error;
  }
}

/** Reads a problem that a competition file lists. The file may override its devices. */
async function readNamed(
  tree: ProblemTree,
  { directory, name, gpus, file }: NamedDirectory & { file: string },
): Promise<FoundProblem["read"]> {
  const path = `${directory}/task.yml`;
  const text = Object.hasOwn(tree, path) ? tree[path] : undefined;
  if (text === undefined) return { error: `${file}: ${quote(path)} is missing` };
  const isOwn = gpus === null || text === null;
  return readIn(isOwn ? tree : { ...tree, [path]: withGpus(text, gpus) }, directory, name);
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
    const what = `${quote(name)} is not UTF-8 text or has more than ${MAX_PROBLEM_FILE_BYTES} bytes`;
    return { name, sizeBytes: 0, read: () => Promise.reject(new KernelBotError("unprocessable", what)) };
  }
  const bytes = new TextEncoder().encode(text);
  return { name, sizeBytes: bytes.length, read: () => Promise.resolve(bytes) };
}

/** Keeps the first of several problems with the same name and marks the others as errors. */
function markDuplicates(found: readonly FoundProblem[]): FoundProblem[] {
  const first = new Map<string, FoundProblem>();
  return found.map((one) => {
    const before = first.get(one.name);
    if (before === undefined) first.set(one.name, one);
    return before === undefined
      ? one
      : { ...one, read: { error: `problem ${quote(one.name)} is already in the set ${quote(before.set)}` } };
  });
}
