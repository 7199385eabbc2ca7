/**
 * Problems that bring a harness of their own: `config: {main: eval.py}` names the program that checks and times, `files`
 * names what lies beside it, and one of those files is the submission. With `lang: cu` it is compiled: `config: {sources:
 * [eval.cu, submission.cu]}` names the files of the program.
 */
import { quote } from "./errors.ts";
import { brokenProblem } from "./problem-error.ts";
import type { HarnessBuild, ProblemSpec } from "./problem-spec.ts";
import type { TaskFile } from "./problem-task.ts";

/** The source that stands for what a participant submits. */
const SUBMISSION = "@SUBMISSION@";

/** A harness as `task.yml` describes it. */
export interface LegacyHarness {
  /** The file that is started; null where it is compiled. */
  main: string | null;
  build: HarnessBuild | null;
  submissionName: string;
  /** For each other file, the path to its text, relative to `task.yml`. */
  sources: Map<string, string>;
}

/**
 * The harness that a problem brings, or null where our judge does the work.
 * @throws KernelBotError `unprocessable` that names the problem, the key and what to write there.
 */
export function legacyHarness(name: string, task: TaskFile): LegacyHarness | null {
  const fail = (what: string) => brokenProblem(name, `task.yml: ${what}`);
  const { main = null, sources: compiled } = task.config;
  const isCompiled = task.lang === "cu";
  const takesSubmission = task.files?.some(({ source }) => source === SUBMISSION) === true;
  if (isCompiled && !takesSubmission) {
    throw fail(
      "lang: cu is of a harness in C++; a problem for C++ has a reference.py, a task.h and names its languages",
    );
  }
  if (main === null && !takesSubmission) return null;
  if (main === null && !isCompiled) throw fail("config: name the harness of the listed files, as in {main: eval.py}");
  if (isCompiled && (compiled === undefined || main !== null)) {
    throw fail("config: with lang cu, name the files that are compiled, as in {sources: [eval.cu, submission.cu]}");
  }
  if (!isCompiled && compiled !== undefined) throw fail("config.sources: nothing is compiled, since lang is py");
  if (task.files === undefined)
    throw fail(`files: list what ${quote(main ?? "")} needs, each with its name and source`);
  const sources = new Map<string, string>();
  const submissions: string[] = [];
  for (const file of task.files) {
    if (!isInside(file.name)) throw fail(`files: the name ${quote(file.name)} leads out of the problem`);
    if (sources.has(file.name) || submissions.includes(file.name)) {
      throw fail(`files: ${quote(file.name)} is there twice`);
    }
    if (file.source === SUBMISSION) submissions.push(file.name);
    else sources.set(file.name, file.source);
  }
  const [submissionName, another] = submissions;
  if (submissionName === undefined || another !== undefined) {
    throw fail(`files: ${submissions.length} files have the source ${SUBMISSION}, and one must have it`);
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

/** Where the last case alone counts, a legacy harness is given no other: it would time them all for nothing. */
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
