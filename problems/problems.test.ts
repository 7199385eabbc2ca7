/**
 * The problem sets that ship with KernelBot, held to `docs/problems.md`, and their example submissions, each judged to
 * the end that its first line names: `# expect: VERDICT`, in mode `test` unless it says `in MODE`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type CaseFinished, casesFor, FailureClass, type JudgeEvent, Mode, type Problem } from "@kernelbot/core";
import { loadProblemDirectory, startTester, type Tester } from "@kernelbot/tester";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

const TARGET = "cpu";

interface Solution {
  name: string;
  source: string;
  /** `passed`, or the class of the failure. */
  ends: string;
  mode: Mode;
}

let tester: Tester;
beforeAll(async () => {
  tester = await startTester();
});
afterAll(() => tester.close());

for (const directory of problemDirectories()) {
  const problem = await loadProblemDirectory(directory);
  const solutions = readSolutions(directory);

  describe(problem.spec.name, () => {
    const { tests, benchmarks } = casesFor(problem.spec, TARGET);

    test("has a template, a faster and two wrong examples", () => {
      expect(problem.spec.templates).not.toEqual({});
      const count = (kind: string): number => solutions.filter(({ name }) => name.startsWith(kind)).length;
      expect(count("fast_")).toBeGreaterThanOrEqual(1);
      expect(count("wrong_")).toBeGreaterThanOrEqual(2);
    });

    test("has benchmarks of its own for cpu, and others for larger devices", () => {
      expect(problem.spec.targets[TARGET]?.benchmarks).toBeDefined();
      expect(Object.keys(problem.spec.targets).length).toBeGreaterThan(1);
      expect(benchmarks).not.toEqual(problem.spec.benchmarks);
    });

    test("has seeds everywhere, and two tests that differ by nothing else", () => {
      const all = [...tests, ...benchmarks, ...problem.spec.benchmarks];
      expect(all.filter((values) => typeof values["seed"] !== "number")).toEqual([]);
      const shapes = tests.map((values) => JSON.stringify({ ...values, seed: null }));
      expect(new Set(shapes).size).toBeLessThan(shapes.length);
    });

    test.for(solutions)("$name ends as $ends in mode $mode", async ({ source, ends, mode }) => {
      const { ended, cases } = await judge(problem, source, mode);
      expect(ended).toBe(ends);
      expect(cases.filter(({ bytes, operations }) => !bytes || !operations)).toEqual([]);
    });

    test.for([
      ["leaves its output unwritten", "return data[-1]"],
      ["writes zeros", "return data[-1].zero_()"],
    ])("a kernel that %s passes no test", async ([, body]) => {
      const { ended, cases } = await judge(problem, `def custom_kernel(data):\n    ${body}\n`, "test");
      expect(ended).toBe("wrong_result");
      expect(cases.filter(({ status }) => status !== "failed")).toEqual([]);
    });

    test("its template passes", async () => {
      const source = Object.values(problem.spec.templates)[0] ?? "";
      const { ended, cases } = await judge(problem, source, "test");
      expect(ended).toBe("passed");
      expect(cases).toHaveLength(tests.length);
    });
  });
}

describe("timed", async () => {
  const directory = join(import.meta.dirname, "pmpp", "vectoradd");
  const problem = await loadProblemDirectory(directory);
  const fast = readSolutions(directory).filter(({ name }) => name.startsWith("fast_"));

  test.for(fast)("vectoradd's $name passes on secret inputs beside the reference", async ({ source }) => {
    const { ended, cases } = await judge(problem, source, "benchmark");
    expect(ended).toBe("passed");
    expect(cases).toHaveLength(casesFor(problem.spec, TARGET).benchmarks.length);
    const rounds = cases.flatMap((one) => one.rounds);
    expect(rounds.length).toBeGreaterThan(cases.length);
    expect(rounds.filter(({ candidateNs, referenceNs }) => !candidateNs.length || !referenceNs.length)).toEqual([]);
  });
});

/** A run by the judge: its verdict, or the class of its failure, and its cases. */
async function judge(problem: Problem, source: string, mode: Mode): Promise<{ ended: string; cases: CaseFinished[] }> {
  const events: JudgeEvent[] = [];
  const job = { type: "run", id: "1", mode, target: TARGET, problem, source } as const;
  const { verdict, failureClass } = await tester.run(job, (event) => events.push(event));
  return { ended: failureClass ?? verdict, cases: events.filter((event) => event.type === "case_finished") };
}

function problemDirectories(): string[] {
  return subdirectories(import.meta.dirname).flatMap(subdirectories);
}

function subdirectories(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(directory, entry.name))
    .sort();
}

function readSolutions(directory: string): Solution[] {
  const folder = join(directory, "solutions");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".py"))
    .sort()
    .map((name) => {
      const source = readFileSync(join(folder, name), "utf8");
      const said = /^# expect: (?<ends>\w+)(?: in (?<mode>\w+))?\n/.exec(source)?.groups;
      if (said === undefined) throw new Error(`${join(folder, name)}: its first line says no "# expect: VERDICT"`);
      const ends = z.union([z.literal("passed"), FailureClass]).parse(said["ends"]);
      return { name: basename(name, ".py"), source, ends, mode: Mode.parse(said["mode"] ?? "test") };
    });
}
