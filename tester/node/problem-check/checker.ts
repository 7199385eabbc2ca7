/**
 * Checks of problem directories, with one warm tester and one Python process:
 *
 *     const checker = await openProblemChecker();
 *     for (const directory of await problemDirectories("problems")) console.log(await checker.check(directory));
 *     await checker.close();
 */
import { basename, resolve } from "node:path";
import {
  bySeverity,
  deviceOf,
  KernelBotError,
  type CheckedProblem,
  type Problem,
  type ProblemFinding,
} from "@kernelbot/core";
import { loadProblemDirectory } from "../problem-directory.ts";
import { startTester, type Tester } from "../tester.ts";
import { judgeAttacks } from "./attacks.ts";
import { error, note } from "./finding.ts";
import { startInspector, type Inspector } from "./inspector.ts";
import {
  brieflyTimed,
  exampleFinding,
  fastest,
  forExample,
  judge,
  judgedTemplates,
  templateFinding,
  timedFindings,
} from "./judging.ts";
import { exampleCounts, readExamples, type Example } from "./solutions.ts";
import { memoryFindings, specFindings } from "./spec-checks.ts";

export interface CheckOptions {
  /** Skips the checks that need the judge: outcomes of examples, and attacks. */
  quick?: boolean;
  /** Called before each step with its description. */
  onStep?: (step: string) => void;
  signal?: AbortSignal;
}

export interface ProblemChecker {
  /**
   * Runs all checks of one problem; one problem at a time.
   * @throws KernelBotError `unavailable` when this machine cannot judge: the message says why.
   */
  check(directory: string, options?: CheckOptions): Promise<CheckedProblem>;
  close(): Promise<void>;
}

/** Target whose cases are used where the caller names none. */
export const DEFAULT_TARGET = "cpu";

/**
 * Starts a checker of problem directories.
 * @param requested Target whose cases are used, and that of problems for which no file names a target.
 * @param unsafeNoSandbox Runs the code of problems and kernels with the rights of this process.
 * @throws KernelBotError `unavailable` when there is no suitable Python.
 */
export async function openProblemChecker(requested?: string, unsafeNoSandbox = false): Promise<ProblemChecker> {
  const target = requested ?? DEFAULT_TARGET;
  const inspector = await startInspector(unsafeNoSandbox);
  // Started on demand.
  let starting: Promise<Tester> | undefined;
  const tester = (): Promise<Tester> =>
    (starting ??= startTester({ unsafeNoSandbox, accelerator: deviceOf(target) === "accelerator" }));
  return {
    check: (directory, options = {}) => checkProblem({ directory, requested, target, tester, inspector, ...options }),
    close: async () => {
      const started = await starting?.catch(() => undefined);
      await Promise.all([inspector.close(), started?.close()]);
    },
  };
}

interface Checking extends CheckOptions {
  directory: string;
  requested: string | undefined;
  target: string;
  tester: () => Promise<Tester>;
  inspector: Inspector;
}

async function checkProblem(checking: Checking): Promise<CheckedProblem> {
  const started = performance.now();
  const { directory, requested } = checking;
  let name = basename(resolve(directory));
  const report = (findings: ProblemFinding[], judged = { examples: 0, attacks: 0 }): CheckedProblem => ({
    directory,
    name,
    judged,
    tookS: (performance.now() - started) / 1000,
    findings: bySeverity(findings),
  });
  let problem: Problem;
  try {
    problem = await loadProblemDirectory(directory, { target: requested });
    name = problem.spec.name;
  } catch (reason) {
    if (!(reason instanceof KernelBotError)) throw reason;
    return report([error("schema", "task.yml", reason.message, "Fix it; docs/reference/task-yml.md lists every key")]);
  }
  const { examples, findings: unreadable } = await readExamples(directory);
  const findings = [...specFindings(problem), ...unreadable, ...exampleCounts(problem.spec, examples)];
  const isRunnable = await inspect(checking, problem, findings);
  if (checking.quick === true || !isRunnable) return report(findings);
  return report(findings, await judgeAll(checking, problem, examples, findings));
}

/** Adds the findings from running the problem's code. Returns whether a judge can run it. */
async function inspect(checking: Checking, problem: Problem, findings: ProblemFinding[]): Promise<boolean> {
  if (problem.spec.harness !== "judge") return true;
  checking.onStep?.("inputs and outputs");
  const inspection = await checking.inspector.inspect(problem, checking.target);
  checking.signal?.throwIfAborted();
  if ("failed" in inspection) {
    const todo = "Fix it; docs/reference/problem-files.md has the contract";
    findings.push(error("reference.runs", "reference.py", inspection.failed, todo));
    return false;
  }
  findings.push(...inspection.findings, ...memoryFindings(inspection.sizes));
  return !inspection.findings.some(({ check }) => check === "reference.loads" || check === "reference.runs");
}

/** Adds the findings from judging. Returns the numbers of judged examples and attacks. */
async function judgeAll(
  checking: Checking,
  problem: Problem,
  examples: readonly Example[],
  findings: ProblemFinding[],
): Promise<CheckedProblem["judged"]> {
  const { target, onStep, signal } = checking;
  const judged = { examples: 0, attacks: 0 };
  if (problem.spec.targets[target] === undefined) {
    findings.push(
      note("examples", `target ${target}`, "the problem has no such target, so nothing was judged here", null),
    );
    return judged;
  }
  const tester = await checking.tester();
  const templates = judgedTemplates(problem);
  for (const { name, source, language } of templates) {
    onStep?.(`template in ${name}`);
    judged.examples += 1;
    const mode = "test";
    findings.push(...templateFinding(name, await judge(tester, problem, target, { source, language, mode }, signal)));
  }
  for (const example of examples) {
    onStep?.(example.name);
    judged.examples += 1;
    findings.push(
      ...exampleFinding(example, await judge(tester, forExample(problem, example), target, example, signal)),
    );
  }
  const [template] = templates.map((one) => ({ ...one, name: `template in ${one.name}` }));
  const fast = fastest(examples) ?? template;
  if (fast !== undefined && problem.spec.harness === "judge") {
    onStep?.(`${fast.name}, timed`);
    const timed = await judge(tester, brieflyTimed(problem, target), target, { ...fast, mode: "benchmark" }, signal);
    findings.push(...timedFindings(fast, timed, tester, target, problem));
  }
  const attacks = await judgeAttacks({ tester, problem, target, onStep, signal });
  findings.push(...attacks.findings);
  return { ...judged, attacks: attacks.judged };
}
