/**
 * What of a directory belongs to a problem: the regular files at its top that are not hidden, all of them text. Folders,
 * such as `solutions`, stay with the author. A problem with a harness of its own has the files that its task.yml lists
 * instead, which may lie in the folders of other problems. Server and tester read directories by this one rule, so that a
 * directory has the same version everywhere.
 */
import { quote } from "./errors.ts";
import { legacyHarness } from "./problem-legacy.ts";
import {
  brokenProblem,
  MAX_PROBLEM_FILE_BYTES,
  parseProblem,
  readTask,
  type Problem,
  type ProblemFiles,
} from "./problem.ts";

/** A regular file. */
export interface DirectoryFile {
  name: string;
  sizeBytes: number;
  read: () => Promise<Uint8Array>;
}

/**
 * Makes a problem of a directory's files.
 * @param find The regular file at a path relative to the directory, such as `../eval.py`; null where there is none, or
 * where the path leads out of the root of all problems.
 * @throws KernelBotError `unprocessable` that names the file or the key, and what is wrong with it.
 */
export async function readProblem(
  name: string,
  listing: readonly DirectoryFile[],
  find: (path: string) => Promise<DirectoryFile | null>,
): Promise<Problem> {
  const shown = listing.filter((entry) => !entry.name.startsWith("."));
  const taskFile = shown.find((entry) => entry.name === "task.yml");
  const text = taskFile === undefined ? undefined : await readText(name, taskFile);
  const task = readTask(name, text);
  const legacy = legacyHarness(name, task);
  const files: ProblemFiles = {};
  if (legacy === null) {
    for (const file of shown) files[file.name] = await readText(name, file);
    return parseProblem(name, files);
  }
  const sources: ProblemFiles = {};
  for (const path of [...legacy.sources.values(), ...Object.values(task.templates)]) {
    const file = await find(path);
    if (file === null) throw brokenProblem(name, `task.yml: there is no file ${quote(path)} among the problems`);
    sources[path] = await readText(name, file);
  }
  for (const [file, path] of legacy.sources) files[file] = sources[path] as string;
  return parseProblem(name, { ...files, "task.yml": text as string }, sources);
}

/**
 * The files of a directory that reads as this problem, by their paths relative to it: the inverse of `readProblem`.
 * Paths are as `task.yml` has them, so they may lead out of the directory.
 * @throws KernelBotError `unprocessable` where the problem's own `task.yml` cannot be read.
 */
export function directoryFiles({ spec, files }: Problem): Map<string, string> {
  const task = readTask(spec.name, files["task.yml"]);
  const legacy = legacyHarness(spec.name, task);
  if (legacy === null) return new Map(Object.entries(files));
  const templates = Object.entries(task.templates).map(([name, path]) => [path, spec.templates[name] ?? ""] as const);
  const sources = [...legacy.sources].map(([name, path]) => [path, files[name] ?? ""] as const);
  return new Map([["task.yml", files["task.yml"] ?? ""], ...templates, ...sources]);
}

async function readText(problem: string, file: DirectoryFile): Promise<string> {
  if (file.sizeBytes > MAX_PROBLEM_FILE_BYTES) {
    throw brokenProblem(problem, `${quote(file.name)} is larger than ${MAX_PROBLEM_FILE_BYTES} bytes`);
  }
  const bytes = await file.read();
  try {
    // PostgreSQL stores no NUL in texts, and no source needs one.
    if (bytes.includes(0)) throw new TypeError("it holds NUL bytes");
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw brokenProblem(problem, `${quote(file.name)} is not UTF-8 text`, cause);
  }
}
