/**
 * Problems that bring a harness of their own: `config: {main: eval.py}` names the program that checks and times, `files`
 * names what lies beside it, and one of those files is the submission.
 */
import { quote } from "./errors.ts";
import { brokenProblem, type ProblemSpec, type TaskFile } from "./problem.ts";

/** The source that stands for what a participant submits. */
const SUBMISSION = "@SUBMISSION@";

/** A harness as `task.yml` describes it. */
export interface LegacyHarness {
  /** The file that is started. */
  main: string;
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
  const { main } = task.config;
  if (main === undefined && task.files?.every(({ source }) => source !== SUBMISSION) !== false) return null;
  if (task.multi_gpu) throw fail("multi_gpu: harnesses of problems for several devices at once cannot be run yet");
  if (main === undefined) throw fail("config: name the harness of the listed files, as in {main: eval.py}");
  if (task.files === undefined) throw fail(`files: list what ${quote(main)} needs, each with its name and source`);
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
  if (!sources.has(main)) throw fail(`config.main: ${quote(main)} is not one of the files`);
  return { main, submissionName, sources };
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
