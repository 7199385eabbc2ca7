/**
 * The corpus: attacks (kernels that cheat, each in another way) and honest kernels of unusual style, in Python and C++.
 * They are submissions to the problem in `problem/`, and judged like any submission. The attacks in `general/` apply to
 * every problem, with an honest kernel of it. `kernelbot_tester.qualify` judges the same files.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  isNoisy,
  languageOf,
  rewardOf,
  scoreRun,
  type Language,
  type Problem,
  type Rounds,
  type VerdictEvent,
} from "@kernelbot/core";
import { attackOn, loadGeneralAttacks, loadProblemData, type Tester } from "@kernelbot/tester";
import corpus from "./corpus.json" with { type: "json" };

/**
 * Expected outcome of a kernel. `not built`: compilers reject it. `no advantage`: it may pass, with correct results and
 * no speedup over honest kernels.
 */
type Expectation = "refused" | "not built" | "no advantage" | "passed";

export interface Kernel {
  name: string;
  expect: Expectation;
  source: string;
  language: Language;
  /** Largest speedup over the reference without an advantage; absent: that of honest kernels. */
  largestSpeedup?: number;
}

export interface Judgement {
  verdict: VerdictEvent;
  /** Speedup over the reference, paired by round; undefined unless the kernel passed. */
  speedup: number | undefined;
  /** Whether the machine was too busy to measure the speedup. */
  isNoisy: boolean;
}

/** Largest speedup of an honest kernel of this problem; a larger one shows an attack that succeeded. */
const LARGEST_HONEST_SPEEDUP = corpus.largestHonestSpeedup;

/** Returns the attacks, by name: those that apply to every problem, and those in these folders of the corpus. */
export async function loadAttacks(folders: readonly string[] = ["", "cpp"]): Promise<Kernel[]> {
  const general = folders.includes("") ? await generalAttacks() : [];
  const own = (await sources(folders)).map((file) => {
    const head =
      /^(#|\/\/) attack: \w+\n\1 expect: (refused|not built|no advantage)(?: over ([\d.]+))?\n(?:"""|\/\/ )/.exec(
        file.source,
      );
    if (head === null)
      throw new Error(`${file.name} does not begin with "attack: GROUP", "expect: ..." and a sentence`);
    return { ...file, expect: head[2] as Expectation, ...(head[3] && { largestSpeedup: Number(head[3]) }) };
  });
  return [...general, ...own];
}

/** Returns the attacks that apply to every problem, on the corpus's problem. */
async function generalAttacks(): Promise<Kernel[]> {
  const honest = await readFile(join(import.meta.dirname, corpus.honest), "utf8");
  const attacks = (await loadGeneralAttacks()).map(async (attack): Promise<Kernel> => {
    return { name: attack.name, expect: "refused", language: "py", source: await attackOn([attack], honest, 1) };
  });
  return Promise.all(attacks);
}

/** Returns the honest kernels in these folders of the corpus, by name. */
export async function loadHonest(folders: readonly string[] = ["honest", "cpp/honest"]): Promise<Kernel[]> {
  return (await sources(folders)).map((file) => ({ ...file, expect: "passed" }));
}

/** Returns the problem of the corpus. */
export function loadCorpusProblem(): Promise<Problem> {
  return loadProblemData(join(import.meta.dirname, "problem"));
}

/** Judges a kernel in mode `benchmark`: timed, on secret inputs. */
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
    language: kernel.language,
  } as const;
  const verdict = await tester.run(job, (event) => {
    if (event.type === "case_finished" && event.stage === "benchmark") rounds.push(event.rounds);
  });
  const { rankingBy } = problem.spec;
  if (verdict.verdict !== "passed") return { verdict, speedup: undefined, isNoisy: false };
  const { speedup, cases } = scoreRun(rounds, rankingBy, target);
  return { verdict, speedup: speedup.value, isNoisy: isNoisy(speedup, cases, target) };
}

/** Whether the verdict is the expected one. A run that could not be judged never is. */
export function isExpected(
  { expect, language, largestSpeedup = LARGEST_HONEST_SPEEDUP }: Kernel,
  { verdict, speedup }: Pick<Judgement, "verdict" | "speedup">,
): boolean {
  const built = language === "py" || verdict.failureClass !== "compile_error";
  const failed = verdict.verdict === "failed";
  switch (expect) {
    case "refused":
      return failed && built;
    case "not built":
      return failed && !built;
    case "no advantage":
      return verdict.verdict === "passed" && (speedup ?? Infinity) < largestSpeedup;
    case "passed":
      return verdict.verdict === "passed";
  }
}

/** Returns the largest reward that an attack may get: that of the largest speedup without an advantage. */
export function largestHonestReward(rule: string, { largestSpeedup = LARGEST_HONEST_SPEEDUP }: Kernel): number {
  const speedup = { low: largestSpeedup, mid: largestSpeedup, high: largestSpeedup };
  return rewardOf(rule, { level: "reward", outcome: "passed", passed: 1, total: 1, speedup }) ?? 0;
}

async function sources(folders: readonly string[]): Promise<Omit<Kernel, "expect">[]> {
  const found: Omit<Kernel, "expect">[] = [];
  for (const folder of folders) {
    for (const file of (await readdir(join(import.meta.dirname, folder))).toSorted()) {
      const language = languageOf(file);
      const name = join(folder, file);
      if (language === "py" || language === "cpp")
        found.push({ name, language, source: await readFile(join(import.meta.dirname, name), "utf8") });
    }
  }
  return found;
}
