/** The general attacks on a problem, all of which must be refused. */
import { casesFor, type Case, type Problem, type ProblemFinding } from "@kernelbot/core";
import type { Tester } from "../tester.ts";
import { error, note } from "./finding.ts";
import { attackOn, loadGeneralAttacks, type Attack } from "./general-attacks.ts";
import { judge } from "./judging.ts";

/** Seconds that an attack may take in a stage: none needs them. */
const LIMIT_S = 20;

export interface Attacking {
  tester: Tester;
  problem: Problem;
  target: string;
  onStep?: ((step: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Judges all of them. Those that lie about an answer alone, and so are refused call by call, share a run in which each has a
 * test case of its own; the others keep something from call to call and are timed, as a ranked run would be, each by itself.
 */
export async function judgeAttacks(attacking: Attacking): Promise<{ judged: number; findings: ProblemFinding[] }> {
  const { problem, target } = attacking;
  const honest = problem.spec.templates["Python"];
  const skip = (why: string) => ({ judged: 0, findings: [note("attacks", `target ${target}`, why, null)] });
  if (problem.spec.harness !== "judge")
    return skip("attacks were not tried: a harness of the problem's own can be fooled");
  if (problem.files["adapter.py"] !== undefined)
    return skip("attacks were not tried: an adapter stands between them and the judge");
  if (honest === undefined) return skip("attacks were not tried: they need a template in Python");
  const attacks = await loadGeneralAttacks();
  const shared = attacks.filter(({ group }) => group === "answer");
  const { passed, unseen } = await judgeTogether(attacking, shared, honest);
  const alone = [...unseen, ...attacks.filter(({ group }) => group !== "answer")];
  const accepted = passed.map((attack) => finding(attack, "passes"));
  for (const attack of alone) {
    attacking.onStep?.(attack.name);
    const source = await attackOn([attack], honest, problem.spec.outputs);
    const mode = "benchmark";
    const { ended, message } = await judge(
      attacking.tester,
      attacked(problem, target, 1),
      target,
      { source, language: "py", mode },
      attacking.signal,
    );
    if (ended === "passed") accepted.push(finding(attack, "passes"));
    if (ended === "infra_error") accepted.push(finding(attack, `keeps the judge from a verdict: ${message}`));
  }
  return { judged: attacks.length, findings: accepted };
}

/** Judges attacks in one run, a case for each; gives those that passed, and those whose case was not reached. */
async function judgeTogether(
  attacking: Attacking,
  attacks: Attack[],
  honest: string,
): Promise<{ passed: Attack[]; unseen: Attack[] }> {
  const { tester, problem, target, onStep, signal } = attacking;
  onStep?.(`${attacks.length} wrong answers`);
  const source = await attackOn(attacks, honest, problem.spec.outputs);
  const together = attacked(problem, target, attacks.length);
  const { cases } = await judge(tester, together, target, { source, language: "py", mode: "test" }, signal);
  const ended = new Map(cases.map(({ index, status }) => [index, status]));
  return {
    passed: attacks.filter((_, index) => ended.get(index) === "passed"),
    unseen: attacks.filter((_, index) => !["passed", "failed"].includes(ended.get(index) ?? "skipped")),
  };
}

/** The problem with one small case, so many times over, in every stage. */
function attacked({ spec, files }: Problem, target: string, times: number): Problem {
  const cases = Array.from({ length: times }, (_, index) => ({
    ...attackedCase(casesFor(spec, target).tests),
    seed: index + 1,
  }));
  const timeoutsS = { prepare: LIMIT_S, test: LIMIT_S, benchmark: LIMIT_S, ranked: LIMIT_S, profile: LIMIT_S };
  // What else the target has of its own stays: its number of ranks.
  const own = { ...spec.targets[target], tests: cases, benchmarks: cases };
  return { files, spec: { ...spec, timeoutsS, targets: { ...spec.targets, [target]: own } } };
}

/** One of the two tests that differ in the seed alone, which are of a usual size; else the last. */
function attackedCase(tests: readonly Case[]): Case | undefined {
  const shape = (values: Case): string => JSON.stringify({ ...values, seed: null });
  return (
    tests.find((one, index) => tests.some((other, place) => place < index && shape(one) === shape(other))) ??
    tests.at(-1)
  );
}

function finding({ name, source }: Attack, how: string): ProblemFinding {
  const sentence = /"""(.+?)"""/s.exec(source)?.[1] ?? "";
  return error(
    "attacks",
    name,
    `the attack ${how}: ${sentence}`,
    "Let the answer depend on the whole input, and the tolerance refuse any other",
  );
}
