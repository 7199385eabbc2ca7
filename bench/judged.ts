/** Runs kernels under the judge and in one process, for benchmarks that compare the two. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { casesFor, type Case, type CaseFinished, type Problem } from "@kernelbot/core";
import { findPython, startTester, TESTER_DIRECTORY, type Tester } from "@kernelbot/tester";
import { z } from "zod";
import type { Figure } from "./figure.ts";

const IN_PROCESS = join(TESTER_DIRECTORY, "kernelbot_tester/qualify/in_process.py");

/** Measures problems one after the other with one tester, and returns the figures of all. */
export async function measureEach(
  problems: readonly string[],
  figuresOf: (tester: Tester, problem: string) => Promise<Figure[]>,
): Promise<Figure[]> {
  const tester = await startTester();
  try {
    const figures: Figure[] = [];
    for (const problem of problems) figures.push(...(await figuresOf(tester, problem)));
    return figures;
  } finally {
    await tester.close();
  }
}

/** Result of a ranked run: its timed cases, and the time in seconds from submission to verdict. */
export interface Ranked {
  cases: CaseFinished[];
  wallS: number;
}

/** Judges a submission in mode ranked. @throws Error when it does not pass. */
export async function rank(tester: Tester, problem: Problem, submission: string): Promise<Ranked> {
  const source = readFileSync(submission, "utf8");
  const cases: CaseFinished[] = [];
  const started = performance.now();
  const job = { type: "run", id: "bench", mode: "ranked", target: "cpu", problem, source } as const;
  const { verdict, message } = await tester.run(job, (event) => {
    if (event.type === "case_finished" && event.stage === "ranked") cases.push(event);
  });
  if (verdict !== "passed") throw new Error(`${submission}: ${verdict}: ${message}`);
  return { cases, wallS: (performance.now() - started) / 1000 };
}

/** Returns the benchmarks of target cpu, including their seeds. */
export function benchmarksOf(problem: Problem): Case[] {
  return casesFor(problem.spec, "cpu").benchmarks;
}

export interface Plan {
  cases: { case: Case; kernelCalls: number; referenceCalls: number }[];
  /** Number of calls before the first measured one. */
  warmUps: number;
  /** Whether every call has new inputs and is checked. */
  fresh: boolean;
}

const InProcess = z.object({
  cases: z.array(z.object({ kernelNs: z.array(z.number()), referenceNs: z.array(z.number()) })),
  wallS: z.number(),
});

/** Runs the same calls in a fresh Python process without a judge, with one thread like a worker. */
export async function inProcess(
  directory: string,
  problem: Problem,
  submission: string,
  plan: Plan,
): Promise<z.infer<typeof InProcess>> {
  const { path: python } = await findPython();
  const { status, stdout, stderr } = spawnSync(python, [IN_PROCESS, directory, submission], {
    encoding: "utf8",
    input: JSON.stringify({ ...plan, threads: 1, tolerance: problem.spec.tolerance }),
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr);
  return InProcess.parse(JSON.parse(stdout));
}
