/**
 * The corpus: kernels that cheat, each in a way of its own, and honest ones of unusual style. All of them answer the
 * problem in `problem/` and are judged as any submission. `kernelbot_tester.qualify` judges the same files.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { scoreRun, type Problem, type Rounds, type VerdictReached } from "@kernelbot/core";
import { loadProblemData, type Tester } from "@kernelbot/tester";
import corpus from "./corpus.json" with { type: "json" };

/** What must become of a kernel. `no advantage`: it may pass, with right results at its honest cost. */
export type Expectation = "refused" | "no advantage" | "passed";

export interface Kernel {
  name: string;
  expect: Expectation;
  source: string;
}

export interface Judgement {
  verdict: VerdictReached;
  /** Reference over kernel, paired; of a kernel that passed. */
  speedup: number | undefined;
}

/** What an honest kernel of this problem may reach; what is above has cheated. Wide, since machines are noisy. */
const LARGEST_HONEST_SPEEDUP = corpus.largestHonestSpeedup;

/** The kernels that cheat, by name. */
export async function loadAttacks(folder: string = import.meta.dirname): Promise<Kernel[]> {
  return (await sources(folder)).map(([name, source]) => {
    const head = /^# attack: \w+\n# expect: (refused|no advantage)\n"""/.exec(source);
    if (head === null)
      throw new Error(`${name}.py does not begin with "# attack: GROUP", "# expect: ..." and a docstring`);
    return { name, source, expect: head[1] === "refused" ? "refused" : "no advantage" };
  });
}

/** The kernels that must pass, by name. */
export async function loadHonest(folder: string = join(import.meta.dirname, "honest")): Promise<Kernel[]> {
  const found = await sources(folder);
  return found.map(([name, source]) => ({ name, source, expect: "passed" }));
}

/** The problem that they answer. */
export function loadCorpusProblem(): Promise<Problem> {
  return loadProblemData(join(import.meta.dirname, "problem"));
}

/** Judges one in mode `benchmark`, where inputs are secret and the clock runs. */
export async function judgeKernel(
  tester: Tester,
  problem: Problem,
  kernel: Kernel,
  target = "cpu",
): Promise<Judgement> {
  const rounds: Rounds[] = [];
  const job = {
    type: "run",
    id: kernel.name,
    mode: "benchmark",
    target,
    problem,
    source: kernel.source,
  } as const;
  const verdict = await tester.run(job, (event) => {
    if (event.type === "case_finished" && event.stage === "benchmark") rounds.push(event.rounds);
  });
  const { rankingBy } = problem.spec;
  const speedup = verdict.verdict === "passed" ? scoreRun(rounds, rankingBy, target).speedup.value : undefined;
  return { verdict, speedup };
}

/** Whether the judge has done right by a kernel: refused it, or not. A run that could not be judged is neither. */
export function isRight({ expect }: Kernel, { verdict, speedup }: Judgement): boolean {
  if (expect === "refused") return verdict.verdict === "failed";
  return verdict.verdict === "passed" && (expect === "passed" || (speedup ?? Infinity) < LARGEST_HONEST_SPEEDUP);
}

async function sources(folder: string): Promise<[name: string, source: string][]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".py")).sort();
  return Promise.all(
    names.map(async (name): Promise<[string, string]> => [
      name.slice(0, -3),
      await readFile(join(folder, name), "utf8"),
    ]),
  );
}
