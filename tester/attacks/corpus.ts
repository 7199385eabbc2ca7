/**
 * The corpus: kernels that cheat, each in a way of its own, and honest ones of unusual style, in Python and in C++. All of
 * them answer the problem in `problem/` and are judged as any submission. Those in `general/` fit every problem, and get an
 * honest kernel of it. `kernelbot_tester.qualify` judges the same files.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { languageOf, scoreRun, type Language, type Problem, type Rounds, type VerdictEvent } from "@kernelbot/core";
import { attackOn, loadGeneralAttacks, loadProblemData, type Tester } from "@kernelbot/tester";
import corpus from "./corpus.json" with { type: "json" };

/**
 * What must become of a kernel. `not built`: no compiler takes it. `no advantage`: it may pass, with right results at its
 * honest cost.
 */
export type Expectation = "refused" | "not built" | "no advantage" | "passed";

export interface Kernel {
  name: string;
  expect: Expectation;
  source: string;
  language: Language;
}

export interface Judgement {
  verdict: VerdictEvent;
  /** Reference over kernel, paired; of a kernel that passed. */
  speedup: number | undefined;
}

/** What an honest kernel of this problem may reach; what is above has cheated. Wide, since machines are noisy. */
const LARGEST_HONEST_SPEEDUP = corpus.largestHonestSpeedup;

/** The kernels that cheat, by name: those that fit every problem, and those in these folders of the corpus. */
export async function loadAttacks(folders: readonly string[] = ["", "cpp"]): Promise<Kernel[]> {
  const general = folders.includes("") ? await generalAttacks() : [];
  const own = (await sources(folders)).map((file) => {
    const head = /^(#|\/\/) attack: \w+\n\1 expect: (refused|not built|no advantage)\n(?:"""|\/\/ )/.exec(file.source);
    if (head === null)
      throw new Error(`${file.name} does not begin with "attack: GROUP", "expect: ..." and a sentence`);
    return { ...file, expect: head[2] as Expectation };
  });
  return [...general, ...own];
}

/** The attacks that fit every problem, on this one. */
async function generalAttacks(): Promise<Kernel[]> {
  const honest = await readFile(join(import.meta.dirname, corpus.honest), "utf8");
  const attacks = (await loadGeneralAttacks()).map(async (attack): Promise<Kernel> => {
    return { name: attack.name, expect: "refused", language: "py", source: await attackOn([attack], honest, 1) };
  });
  return Promise.all(attacks);
}

/** The kernels that must pass, by name, in these folders of the corpus. */
export async function loadHonest(folders: readonly string[] = ["honest", "cpp/honest"]): Promise<Kernel[]> {
  return (await sources(folders)).map((file) => ({ ...file, expect: "passed" }));
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
    language: kernel.language,
  } as const;
  const verdict = await tester.run(job, (event) => {
    if (event.type === "case_finished" && event.stage === "benchmark") rounds.push(event.rounds);
  });
  const { rankingBy } = problem.spec;
  const speedup = verdict.verdict === "passed" ? scoreRun(rounds, rankingBy, target).speedup.value : undefined;
  return { verdict, speedup };
}

/** Whether the judge has done right by a kernel: refused it, or not. A run that could not be judged is neither. */
export function isRight({ expect, language }: Kernel, { verdict, speedup }: Judgement): boolean {
  const built = language === "py" || verdict.failureClass !== "compile_error";
  const failed = verdict.verdict === "failed";
  switch (expect) {
    case "refused":
      return failed && built;
    case "not built":
      return failed && !built;
    case "no advantage":
      return verdict.verdict === "passed" && (speedup ?? Infinity) < LARGEST_HONEST_SPEEDUP;
    case "passed":
      return verdict.verdict === "passed";
  }
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
