/** Parses the problems and competitions of a tree of files in memory. */
import { posix } from "node:path";
import {
  competitionStem,
  findCompetitions,
  KernelBotError,
  listedDirectories,
  MAX_PROBLEM_FILE_BYTES,
  NO_OTHER_TARGETS,
  problemVersion,
  quote,
  readProblem,
  type CompetitionSource,
  type DirectoryFile,
  type FoundCompetition,
  type ListedDirectory,
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

interface FoundTree {
  /** Sorted by name. */
  problems: FoundProblem[];
  /** Sorted by file. */
  competitions: FoundCompetition[];
}

/**
 * Parses a tree, or only one set of it: a folder, or the problems of the competition file with that name.
 * @param prefix Text before the name of each problem of the tree.
 */
export async function readTree(tree: ProblemTree, set: string | null, prefix = ""): Promise<FoundTree> {
  const competitions = findCompetitions(tree);
  const listed = listedDirectories(competitions);
  const isWanted = (path: string, file: string | null): boolean =>
    set === null || setOf(path) === set || (file !== null && competitionStem(file) === set);
  const problems = await Promise.all([
    ...listed
      .filter(({ directory, file }) => isWanted(directory, file))
      .map(async (one): Promise<FoundProblem> => {
        const { directory: path, file } = one;
        const name = `${prefix}${one.name}`;
        return { name, set: setOf(path), path, file, read: await readListed(tree, { ...one, name }) };
      }),
    ...directoriesOf(tree)
      .filter((path) => listed.every(({ directory }) => directory !== path) && isWanted(path, null))
      .map(async (path): Promise<FoundProblem> => {
        const name = `${prefix}${posix.basename(path)}`;
        return { name, set: setOf(path), path, file: null, read: await readIn(tree, path, name, null) };
      }),
  ]);
  return {
    problems: markDuplicates(problems).toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    competitions: competitions
      .filter(({ file }) => set === null || competitionStem(file) === set)
      .map((competition) => renameProblems(competition, prefix, new Set(problems.map(({ name }) => name)))),
  };
}

/** Returns the names that `readTree` accepts as a set: folders with problems, and competition files. */
export function listSets(tree: ProblemTree): string[] {
  const files = findCompetitions(tree).map(({ file }) => competitionStem(file));
  return [...new Set([...directoriesOf(tree).map(setOf), ...files])].toSorted();
}

/** Returns a competition with the prefix before the names of the tree's own problems. */
function renameProblems({ file, read }: FoundCompetition, prefix: string, own: ReadonlySet<string>): FoundCompetition {
  if ("error" in read) return { file, read };
  const spec: CompetitionSource["spec"] = (opensAt) => {
    const found = read.spec(opensAt);
    const problems = found.problems.map((problem) => {
      const name = `${prefix}${problem.name}`;
      return own.has(name) ? { ...problem, name } : problem;
    });
    return { ...found, problems };
  };
  return { file, read: { ...read, spec } };
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

/** Reads a problem that a competition file lists. */
async function readListed(
  tree: ProblemTree,
  { directory, name, gpus, file }: ListedDirectory,
): Promise<FoundProblem["read"]> {
  const path = `${directory}/task.yml`;
  if (!Object.hasOwn(tree, path)) return { error: `${file}: ${quote(path)} is missing` };
  return readIn(tree, directory, name, gpus);
}

async function readIn(
  tree: ProblemTree,
  path: string,
  name: string,
  gpus: readonly string[] | null,
): Promise<FoundProblem["read"]> {
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
    const problem = await readProblem(name, listing, find, { ...NO_OTHER_TARGETS, listed: gpus });
    return { problem, version: await problemVersion(problem) };
  } catch (error) {
    if (error instanceof KernelBotError) return { error: error.message };
    throw error;
  }
}

function fileOf(name: string, text: string | null): DirectoryFile {
  if (text === null) {
    const what = `the file is not UTF-8 text or has more than ${MAX_PROBLEM_FILE_BYTES} bytes`;
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
