/** The problems and competitions of a tree of files that somebody sent: as those of a folder on disk, without one. */
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

/** A directory with a `task.yml`, and what it holds: a problem, or what is wrong with it. */
export interface FoundProblem {
  name: string;
  set: string;
  path: string;
  /** The file that names it, of the format that names directories. */
  file: string | null;
  read: { problem: Problem; version: string } | { error: string };
}

/** A file of a competition at the root, and what it says, or what is wrong with it. */
export interface FoundCompetition {
  file: string;
  read: CompetitionSource | { error: string };
}

export interface FoundTree {
  /** In order of name. */
  problems: FoundProblem[];
  /** In order of file. */
  competitions: FoundCompetition[];
}

/** What a tree holds, or one set of it: a folder, and the competition whose file is called so. */
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
    problems: withoutDoubles(problems).toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
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

/** What a directory lies in; one at the top is a set of its own. */
function setOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? path : folder;
}

export function stemOf(file: string): string {
  return file.replace(/\.ya?ml$/, "");
}

/** Null where the file is about something else. */
function competitionIn(tree: ProblemTree, file: string): FoundCompetition | null {
  const text = tree[file] ?? null;
  try {
    if (text === null) throw new KernelBotError("unprocessable", "it is no UTF-8 text");
    const read = readCompetitionSource(stemOf(file), text);
    return read === null ? null : { file, read };
  } catch (error) {
    if (error instanceof KernelBotError) return { file, read: { error: `${file}: ${error.message}` } };
    throw error;
  }
}

/** A problem of a file that names its directory, and may name its devices. */
async function readNamed(
  tree: ProblemTree,
  { directory, name, gpus, file }: NamedDirectory & { file: string },
): Promise<FoundProblem["read"]> {
  const path = `${directory}/task.yml`;
  const text = Object.hasOwn(tree, path) ? tree[path] : undefined;
  if (text === undefined) return { error: `${file}: there is no ${quote(path)}` };
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
    const what = `${quote(name)} is no UTF-8 text, or has more than ${MAX_PROBLEM_FILE_BYTES} bytes`;
    return { name, sizeBytes: 0, read: () => Promise.reject(new KernelBotError("unprocessable", what)) };
  }
  const bytes = new TextEncoder().encode(text);
  return { name, sizeBytes: bytes.length, read: () => Promise.resolve(bytes) };
}

/** Of problems with one name the first is taken, and the others are wrong. */
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
