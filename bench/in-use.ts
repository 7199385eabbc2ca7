import { loadavg } from "node:os";
import { resolve } from "node:path";
import { median, type Validation } from "@kernelbot/core";
import { loadProblemDirectory, type Tester } from "@kernelbot/tester";
import type { Bench, Figure } from "./figure.ts";
import { measureEach } from "./judged.ts";

const RUNS = 20;
/** Shipped problems with an application. */
const PROBLEMS = ["deepseek/mla-decode", "linalg/cholesky", "pmpp/conv2d", "pmpp/histogram"];

/**
 * Runs each shipped application 20 times with the problem's reference as the kernel, whose speedup is 1. Counts the runs
 * in which it is validated, and the intervals that contain 1; each has 99.95 % confidence (tester: stages/application.py). The
 * other figures are medians of the runs.
 */
export const inUse: Bench = () => measureEach(PROBLEMS, figuresOf);

async function figuresOf(tester: Tester, name: string): Promise<Figure[]> {
  const problem = await loadProblemDirectory(resolve(import.meta.dirname, "../problems", name));
  const source = `${problem.files["reference.py"]}\ncustom_kernel = ref_kernel\n`;
  const runs: { validation: Validation | undefined; wallS: number; load: number }[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const started = performance.now();
    const job = { type: "run", id: "bench", mode: "application", target: "cpu", problem, source } as const;
    const { validation, message } = await tester.run(job, () => undefined);
    if (validation?.state !== "validated") console.error(`${name}: ${message}`);
    runs.push({ validation, wallS: (performance.now() - started) / 1000, load: loadavg()[0] ?? NaN });
  }
  const speedups = runs.flatMap(({ validation }) => validation?.speedup ?? []);
  for (const { low, value, high } of speedups.filter((one) => !containsOne(one)))
    console.error(`${name}: speedup ${value.toFixed(4)} [${low.toFixed(4)}, ${high.toFixed(4)}]`);
  const validated = runs.filter(({ validation }) => validation?.state === "validated").length;
  return [
    { name: `${name}: validated`, value: validated, unit: `of ${RUNS}` },
    { name: `${name}: intervals with 1`, value: speedups.filter(containsOne).length, unit: `of ${RUNS}` },
    { name: `${name}: median speedup`, value: median(speedups.map(({ value }) => value)), unit: "" },
    { name: `${name}: width of interval`, value: 100 * median(speedups.map(({ low, high }) => high - low)), unit: "%" },
    { name: `${name}: duration`, value: median(runs.map(({ wallS }) => wallS)), unit: "s" },
    { name: `${name}: load average`, value: median(runs.map(({ load }) => load)), unit: "" },
  ];
}

function containsOne({ low, high }: NonNullable<Validation["speedup"]>): boolean {
  return low <= 1 && 1 <= high;
}
