/** General attacks on a problem, all of which the judge must reject. */
import { casesFor, type Case, type Problem, type ProblemFinding } from "@kernelbot/core";
import type { Tester } from "../tester.ts";
import { error, note } from "./finding.ts";
import { attackOn, loadGeneralAttacks, type Attack } from "./general-attacks.ts";
import { judge } from "./judging.ts";

/**
 * Time limit of each stage of an attack, in seconds; no attack needs all of it. With several ranks, one that has an answer
 * already leaves the others waiting until the limit.
 */
const LIMIT_S = 20;
const RANKS_LIMIT_S = 6;
/**
 * Number of calls of each replay in their shared test: one more than the addresses of a call's memory, so that replays
 * which recognise a memory get one again, and those that need two calls to have an answer have it.
 */
const REPLAYED = 9;

export interface Attacking {
  tester: Tester;
  problem: Problem;
  target: string;
  onStep?: ((step: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Judges all general attacks. Attacks that falsify only the answer, and are rejected call by call, share a run with one
 * test case each. Replays, which return an earlier answer, share another run with several cases each: a ranked run is
 * tested before it is timed, so rejection in the test suffices. Attacks not rejected there, and all others, are timed
 * one by one, as in a ranked run.
 */
export async function judgeAttacks(attacking: Attacking): Promise<{ judged: number; findings: ProblemFinding[] }> {
  const { problem, target } = attacking;
  const honest = problem.spec.templates["Python"];
  const skip = (why: string) => ({ judged: 0, findings: [note("attacks", `target ${target}`, why, null)] });
  if (problem.spec.harness !== "judge")
    return skip("attacks were not tried: a problem's own harness does not protect against them");
  if (problem.files["adapter.py"] !== undefined)
    return skip("attacks were not tried: the problem has an adapter, which they do not apply to");
  if (honest === undefined) return skip("attacks were not tried: they need a Python template");
  const attacks = await loadGeneralAttacks();
  const inGroup = (group: string) => attacks.filter((attack) => attack.group === group);
  const { passed, unseen } = await judgeTogether(attacking, inGroup("answer"), honest, 1);
  const replays = await judgeTogether(attacking, inGroup("replay"), honest, REPLAYED);
  const others = attacks.filter(({ group }) => group !== "answer" && group !== "replay");
  const accepted = passed.map((attack) => finding(attack, "passes"));
  for (const attack of [...unseen, ...replays.passed, ...replays.unseen, ...others]) {
    attacking.onStep?.(attack.name);
    const source = await attackOn([attack], honest, problem.spec.outputs);
    const mode = "benchmark";
    const { outcome, message } = await judge(
      attacking.tester,
      attacked(problem, target, 1),
      target,
      { source, language: "py", mode },
      attacking.signal,
    );
    if (outcome === "passed") accepted.push(finding(attack, "passes"));
    if (outcome === "infra_error") accepted.push(finding(attack, `prevents a verdict: ${message}`));
  }
  return { judged: attacks.length, findings: accepted };
}

/**
 * Judges attacks in one run with `calls` cases each. Returns those that passed, and those whose cases were not all
 * reached.
 */
async function judgeTogether(
  attacking: Attacking,
  attacks: Attack[],
  honest: string,
  calls: number,
): Promise<{ passed: Attack[]; unseen: Attack[] }> {
  const { tester, problem, target, onStep, signal } = attacking;
  onStep?.(`${attacks.length} attacks together`);
  const source = await attackOn(attacks, honest, problem.spec.outputs, calls);
  const together = attacked(problem, target, attacks.length * calls);
  const { cases } = await judge(tester, together, target, { source, language: "py", mode: "test" }, signal);
  const statusOf = new Map(cases.map(({ index, status }) => [index, status]));
  const statusesOf = (attack: number) =>
    Array.from({ length: calls }, (_, call) => statusOf.get(attack * calls + call));
  return {
    passed: attacks.filter((_, attack) => statusesOf(attack).every((status) => status === "passed")),
    unseen: attacks.filter((_, attack) => {
      const statuses = statusesOf(attack);
      return !statuses.includes("failed") && statuses.some((status) => status !== "passed");
    }),
  };
}

/** Returns the problem with `times` copies of one small case in every stage. */
function attacked({ spec, files }: Problem, target: string, times: number): Problem {
  const cases = Array.from({ length: times }, (_, index) => ({
    ...attackedCase(casesFor(spec, target).tests),
    seed: index + 1,
  }));
  const limitS = spec.worldSize === undefined ? LIMIT_S : RANKS_LIMIT_S;
  const timeoutsS = { prepare: LIMIT_S, test: limitS, benchmark: limitS, ranked: limitS, profile: limitS };
  // Other settings of the target, such as its number of ranks, are kept.
  const own = { ...spec.targets[target], tests: cases, benchmarks: cases };
  return { files, spec: { ...spec, timeoutsS, targets: { ...spec.targets, [target]: own } } };
}

/** Returns one of two tests that differ only in the seed, since these have a typical size; else the last test. */
function attackedCase(tests: readonly Case[]): Case | undefined {
  const shapes = tests.map((values) => JSON.stringify({ ...values, seed: null }));
  return tests.find((_, index) => shapes.indexOf(shapes[index] as string) < index) ?? tests.at(-1);
}

function finding({ name, source }: Attack, how: string): ProblemFinding {
  const sentence = /"""(.+?)"""/s.exec(source)?.[1] ?? "";
  return error(
    "attacks",
    name,
    `the attack ${how}: ${sentence}`,
    "Make the output depend on the whole input, and narrow the tolerance until it rejects every other output",
  );
}
