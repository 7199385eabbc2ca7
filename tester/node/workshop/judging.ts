/** Templates and examples of a problem, judged as any submission. */
import {
  belowFloor,
  floorOf,
  ratesOf,
  scoreCase,
  type CaseFinished,
  type JudgeEvent,
  type Language,
  type Mode,
  type Problem,
  type ProblemFinding,
} from "@kernelbot/core";
import type { Tester } from "../tester.ts";
import { error, warning } from "./finding.ts";
import type { Example } from "./solutions.ts";

export interface Judged {
  /** `passed`, the class of the failure, or `infra_error`. */
  ended: string;
  message: string | null;
  cases: CaseFinished[];
}

export interface Submission {
  source: string;
  language: Language;
  mode: Mode;
}

/** A run by the judge. */
export async function judge(
  tester: Tester,
  problem: Problem,
  target: string,
  { source, language, mode }: Submission,
  signal?: AbortSignal,
): Promise<Judged> {
  const events: JudgeEvent[] = [];
  const job = { type: "run", id: "workshop", mode, target, problem, source, language } as const;
  const { verdict, failureClass, message } = await tester.run(job, (event) => events.push(event), signal);
  return {
    ended: failureClass ?? verdict,
    message,
    cases: events.filter((event) => event.type === "case_finished"),
  };
}

/** The starters that this machine judges, by name: Python's, and C++ for a processor. Others need a device or a compiler of their own. */
export function judgedTemplates({ spec }: Problem): { name: string; source: string; language: Language }[] {
  const languages: Record<string, Language> = { Python: "py", "C++": "cpp" };
  return Object.entries(spec.templates).flatMap(([name, source]) => {
    const language = languages[name];
    return language === undefined ? [] : [{ name, source, language }];
  });
}

/** What is wrong with how a starter ended. */
export function templateFinding(name: string, { ended, message }: Judged): ProblemFinding[] {
  if (ended === "passed") return [];
  return [
    error("templates", `template in ${name}`, `it ends as ${ended}: ${message}`, "A starter has to pass every test"),
  ];
}

/** What is wrong with how an example ended. */
export function exampleFinding({ name, ends, mode }: Example, { ended, message }: Judged): ProblemFinding[] {
  if (ended === ends) return [];
  const why = message === null ? "" : `: ${message}`;
  const todo =
    ends === "passed"
      ? "An honest example has to pass: mend it, or widen the tolerance"
      : "A mistake must not pass: add a test that shows it, or narrow the tolerance";
  return [error("examples", name, `in mode ${mode} it ends as ${ended}, not as ${ends}${why}`, todo)];
}

/** Seconds that the fastest example is timed for, to see that it is above the floor and beats the reference; and where several
 * ranks have to be stopped and woken for each call. */
const TIMED_S = 1.5;
const RANKS_TIMED_S = 6;

/** The problem with the last benchmark of a target alone, which is the nearest to the hardware floor, timed briefly. */
export function brieflyTimed({ spec, files }: Problem, target: string): Problem {
  const own = spec.targets[target];
  const benchmarks = (own?.benchmarks ?? spec.benchmarks).slice(-1);
  return {
    files,
    spec: {
      ...spec,
      targets: { ...spec.targets, [target]: { ...own, benchmarks } },
      timeoutsS: { ...spec.timeoutsS, benchmark: spec.worldSize === undefined ? TIMED_S : RANKS_TIMED_S },
    },
  };
}

/** The example that is timed: C++ comes nearest to the floor. */
export function fastest(examples: readonly Example[]): Example | undefined {
  const fast = examples.filter(({ name }) => name.startsWith("solutions/fast_"));
  return fast.find(({ language }) => language === "cpp") ?? fast[0];
}

/** What its times say about the hardware floor and about being fast. */
export function timedFindings(example: Example, judged: Judged, tester: Tester, target: string): ProblemFinding[] {
  if (judged.ended !== "passed") {
    // A busy machine may have no time for it, which says nothing about the problem.
    const severity = ["timeout", "infra_error"].includes(judged.ended) ? warning : error;
    const what = `timed on secret inputs, it ends as ${judged.ended}: ${judged.message}`;
    return [severity("examples.timed", example.name, what, "See kernelbot eval --mode benchmark")];
  }
  const rates = ratesOf(tester.machine, target);
  const scored = judged.cases.map((one) => ({ ...one, score: scoreCase(one, target), floor: floorOf(one, rates) }));
  const findings: ProblemFinding[] = [];
  const impossible = belowFloor(scored);
  if (impossible !== null)
    findings.push(error("cost", example.name, impossible, "Declare less in cost: an honest kernel does without"));
  for (const { score } of scored) {
    const speedup = score?.speedup?.value ?? 1;
    if (speedup >= 1) continue;
    const what = `it takes ${(1 / speedup).toFixed(2)} times as long as the reference on the last benchmark`;
    findings.push(warning("examples.timed", example.name, what, "A fast example has to beat the reference on cpu"));
  }
  return findings;
}
