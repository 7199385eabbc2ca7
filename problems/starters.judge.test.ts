/**
 * The starters in Triton of every problem, run program by program on the processor, by a fake Triton that refuses what
 * Triton refuses (`tester/tests/fake_device/triton`), on the smallest test cases of `cpu`.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { casesFor, type Case } from "@kernelbot/core";
import { findPython, loadProblemDirectory, problemDirectories } from "@kernelbot/tester";
import { expect, test } from "vitest";
import { z } from "zod";

const FAKE_DEVICE = join(import.meta.dirname, "../tester/tests/fake_device");
/** Of each problem; the smallest ones, by the product of their sizes. Fewer where they take long. */
const CASES = 3;

test("every starter in Triton is right on the smallest cases", async () => {
  const directories = await problemDirectories(import.meta.dirname);
  const problems = await Promise.all(directories.map((directory) => loadProblemDirectory(directory)));
  const requests = problems.flatMap((problem) => {
    const source = problem.spec.templates["Triton"];
    const single = problem.spec.worldSize === undefined;
    return source === undefined || !single ? [] : [{ problem, source, cases: smallest(problem) }];
  });
  expect(requests.length).toBeGreaterThan(0);
  const { path } = await findPython();
  const { stdout, stderr } = spawnSync(path, ["-B", join(FAKE_DEVICE, "starters.py"), FAKE_DEVICE], {
    input: JSON.stringify(requests),
    encoding: "utf8",
  });
  const faults = z.array(z.array(z.string())).parse(JSON.parse(stdout), { error: () => stderr });
  const wrong = requests.map(({ problem }, at) => [problem.spec.name, faults[at]]).filter(([, found]) => found?.length);
  expect(wrong, stderr).toEqual([]);
});

function smallest({ spec }: Awaited<ReturnType<typeof loadProblemDirectory>>): Case[] {
  const { tests } = casesFor(spec, "cpu");
  return [...tests].sort((one, other) => size(one) - size(other)).slice(0, CASES);
}

function size(values: Case): number {
  const numbers = Object.entries(values).filter(([name]) => name !== "seed");
  return numbers
    .flatMap(([, value]) => value)
    .reduce<number>((all, one) => (typeof one === "number" ? all * Math.max(1, one) : all), 1);
}
