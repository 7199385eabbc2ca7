/**
 * Problems with a harness of their own. `config: {main: eval.py}` names the program that checks and times, and `files`
 * lists the files in its folder, one of which is the submission. With `lang: cu` the harness is compiled: `config:
 * {sources: [eval.cu, submission.cu]}` lists its source files.
 */
import { quote } from "../errors.ts";
import { invalidProblem } from "./error.ts";
import { SUBMISSION } from "./old-form.ts";
import type { HarnessBuild, ProblemSpec } from "../vocabulary/specification.ts";
import type { TaskFile } from "./task-file.ts";

/** Harness as described by `task.yml`. */
export interface LegacyHarness {
  /** File that is started; null if the harness is compiled. */
  main: string | null;
  build: HarnessBuild | null;
  submissionName: string;
  /** Paths of the other files, relative to `task.yml`, by their names in the problem. */
  sources: Map<string, string>;
}

/**
 * Returns the harness of a problem, or null if the judge checks and times it.
 * @throws KernelBotError `unprocessable`, with the problem, the key and the expected value.
 */
export function legacyHarness(name: string, task: TaskFile): LegacyHarness | null {
  const fail = (what: string) => invalidProblem(name, `task.yml: ${what}`);
  const { main = null, sources: compiled } = task.config;
  const isCompiled = task.lang === "cu";
  const takesSubmission = task.files?.some(({ source }) => source === SUBMISSION) === true;
  if (isCompiled && !takesSubmission) {
    throw fail(
      "lang: cu is for a harness in C++; a problem for C++ submissions needs a reference.py, a task.h and languages",
    );
  }
  if (main === null && !takesSubmission) return null;
  if (main === null && !isCompiled)
    throw fail("config: name the listed file that is the harness, such as {main: eval.py}");
  if (isCompiled && (compiled === undefined || main !== null)) {
    throw fail("config: with lang cu, name the files to compile, such as {sources: [eval.cu, submission.cu]}");
  }
  if (!isCompiled && compiled !== undefined) throw fail("config.sources: only valid with lang: cu");
  if (task.files === undefined)
    throw fail(`files: list what ${quote(main ?? "")} needs, each with its name and source`);
  const cases = [task, ...Object.values(task.targets)].flatMap((own) => [
    ...(own?.tests ?? []),
    ...(own?.benchmarks ?? []),
  ]);
  for (const [key, value] of cases.flatMap((each) => Object.entries(each))) {
    // A line of the harness's file of cases is `key: value; key: value`.
    if (typeof value === "string" && /[;\n\r]/.test(value))
      throw fail(
        `the value ${quote(value)} of ${key} contains a semicolon or line break, which separates parameters for a harness`,
      );
  }
  const sources = new Map<string, string>();
  const submissions: string[] = [];
  for (const file of task.files) {
    if (!isInside(file.name)) throw fail(`files: the name ${quote(file.name)} is outside the problem`);
    if (sources.has(file.name) || submissions.includes(file.name)) {
      throw fail(`files: ${quote(file.name)} occurs twice`);
    }
    if (file.source === SUBMISSION) submissions.push(file.name);
    else sources.set(file.name, file.source);
  }
  const [submissionName, another] = submissions;
  if (submissionName === undefined || another !== undefined) {
    throw fail(`files: ${submissions.length} files have the source ${SUBMISSION}, but exactly one must`);
  }
  if (main !== null && !sources.has(main)) throw fail(`config.main: ${quote(main)} is not one of the files`);
  const unknown = compiled?.find((file) => file !== submissionName && !sources.has(file));
  if (unknown !== undefined) throw fail(`config.sources: ${quote(unknown)} is not one of the files`);
  return { main, build: compiled === undefined ? null : buildOf(task.config, compiled), submissionName, sources };
}

function buildOf({ include_dirs, defines, compile_flags }: TaskFile["config"], sources: string[]): HarnessBuild {
  return {
    sources,
    includeDirs: include_dirs ?? [],
    defines: Object.entries(defines ?? {}).map(([name, value]) => (value === null ? name : `${name}=${value}`)),
    flags: compile_flags ?? [],
  };
}

/** Keeps only the last benchmark where only the last case counts, because a legacy harness would time all cases. */
export function withCountedBenchmarks(spec: ProblemSpec): ProblemSpec {
  if (spec.rankingBy !== "last") return spec;
  const targets: ProblemSpec["targets"] = {};
  for (const [target, own] of Object.entries(spec.targets)) {
    targets[target] = own.benchmarks === undefined ? own : { ...own, benchmarks: own.benchmarks.slice(-1) };
  }
  return { ...spec, benchmarks: spec.benchmarks.slice(-1), targets };
}

function isInside(path: string): boolean {
  return path.split("/").every((part) => /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(part));
}
