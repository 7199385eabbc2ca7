/**
 * Determines which files of a directory belong to a problem: the regular, non-hidden files at its top level, all of
 * which must be text, and shared files elsewhere among the problems that its task.yml lists. Subfolders, such as
 * `solutions`, are not part of it. A problem with its own harness consists of the listed files only. Server and tester
 * apply the same rule, so that a directory has the same version everywhere.
 */
import { KernelBotError, quote } from "../errors.ts";
import { NO_OTHER_TARGETS, withGpus, type OtherTargets } from "./gpus.ts";
import { legacyHarness } from "./legacy-harness.ts";
import { parseProblem } from "./problem.ts";
import { invalidProblem, ProblemFaults } from "./error.ts";
import { MAX_PROBLEM_FILE_BYTES, type Problem, type ProblemFiles } from "../vocabulary/specification.ts";
import { parseTaskFile, type TaskFile } from "./task-file.ts";
import { decodeUtf8 } from "../text/utf8.ts";

/** Regular file of a directory. */
export interface DirectoryFile {
  name: string;
  sizeBytes: number;
  read: () => Promise<Uint8Array>;
}

/**
 * Reads a problem from the files of its directory.
 * @param find Returns the regular file at a path relative to the directory, such as `../eval.py`; null if it does not
 * exist or is outside the root of all problems.
 * @param others Targets that are named elsewhere than in `task.yml`.
 * @throws KernelBotError `unprocessable`, with each faulty key of `task.yml` and the reason; if there is none, with each faulty
 * file.
 */
export async function readProblem(
  name: string,
  listing: readonly DirectoryFile[],
  find: (path: string) => Promise<DirectoryFile | null>,
  others: OtherTargets = NO_OTHER_TARGETS,
): Promise<Problem> {
  const visible = listing.filter((entry) => !entry.name.startsWith("."));
  const taskFile = visible.find((entry) => entry.name === "task.yml");
  const text = taskFile === undefined ? undefined : withGpus(await readText(name, taskFile), others);
  const task = parseTaskFile(name, text);
  const legacy = legacyHarness(name, task);
  const faults = new ProblemFaults(name);
  // A faulty file counts as empty, so that it is not reported as missing too.
  const read = async (work: () => Promise<string>): Promise<string> => (await faults.attempt(work)) ?? "";
  const found = async (path: string): Promise<string> => {
    const file = await find(path);
    if (file === null)
      throw invalidProblem(name, `task.yml: the file ${quote(path)} does not exist below the root of the problems`);
    return readText(name, file);
  };
  const files: ProblemFiles = {};
  const sources: ProblemFiles = {};
  if (legacy === null) {
    for (const file of visible) {
      files[file.name] = file === taskFile ? (text as string) : await read(() => readText(name, file));
    }
    for (const [file, path] of sharedFiles(name, task)) {
      if (files[file] === undefined) files[file] = await read(() => found(path));
      else faults.add(`task.yml: files: ${quote(file)} is also in the directory`);
    }
  } else {
    const paths = [...legacy.sources.values(), ...Object.values(task.templates)];
    for (const path of paths) sources[path] ??= await read(() => found(path));
    for (const [file, path] of legacy.sources) files[file] = sources[path] as string;
    files["task.yml"] = text as string;
  }
  const problem = await faults.attempt(() => parseProblem(name, files, legacy === null ? files : sources));
  faults.throwIfAny();
  return problem as Problem;
}

/**
 * Returns the files of a directory that `readProblem` would read as this problem, by relative path. Paths are as in
 * `task.yml`, so they may be outside the directory.
 * @throws KernelBotError `unprocessable` if the problem's own `task.yml` is invalid.
 */
export function directoryFiles({ spec, files }: Problem): Map<string, string> {
  const task = parseTaskFile(spec.name, files["task.yml"]);
  const legacy = legacyHarness(spec.name, task);
  if (legacy === null) {
    const shared = sharedFiles(spec.name, task);
    return new Map(Object.entries(files).map(([file, text]) => [shared.get(file) ?? file, text]));
  }
  const templates = Object.entries(task.templates).map(([name, path]) => [path, spec.templates[name] ?? ""] as const);
  const sources = [...legacy.sources].map(([name, path]) => [path, files[name] ?? ""] as const);
  return new Map([["task.yml", files["task.yml"] ?? ""], ...templates, ...sources]);
}

/** Returns the shared files of a problem: from their name in the problem to their path relative to `task.yml`. */
function sharedFiles(name: string, task: TaskFile): Map<string, string> {
  const shared = new Map<string, string>();
  for (const file of task.files ?? []) {
    const fail = (what: string) => invalidProblem(name, `task.yml: files: ${quote(file.name)} ${what}`);
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(file.name)) throw fail("is not a valid file name");
    if (shared.has(file.name)) throw fail("occurs twice");
    shared.set(file.name, file.source);
  }
  return shared;
}

async function readText(problem: string, file: DirectoryFile): Promise<string> {
  if (file.sizeBytes > MAX_PROBLEM_FILE_BYTES) {
    throw invalidProblem(problem, `${quote(file.name)} is larger than ${MAX_PROBLEM_FILE_BYTES} bytes`);
  }
  try {
    return decodeUtf8(await file.read());
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    throw invalidProblem(problem, `${quote(file.name)}: ${error.message}`, error);
  }
}
