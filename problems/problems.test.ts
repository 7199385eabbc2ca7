/**
 * The problem sets that ship with KernelBot, held to `docs/problems.md`, and their example submissions, each judged to
 * the end that its first line names: `# expect: VERDICT` (`//` in C++), in mode `test` unless it says `in MODE`.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  belowFloor,
  type Case,
  type CaseFinished,
  casesFor,
  FailureClass,
  floorOf,
  type JudgeEvent,
  type Language,
  languageOf,
  Mode,
  type Problem,
  type ProblemFiles,
  ratesOf,
  scoreCase,
} from "@kernelbot/core";
import { findPython, loadProblemDirectory, startTester, type Tester } from "@kernelbot/tester";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

const TARGET = "cpu";

interface Solution {
  name: string;
  source: string;
  language: Language;
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

    test.for(solutions)("$name ends as $ends in mode $mode", async ({ source, ends, mode, language }) => {
      const { ended, cases } = await judge(problem, source, mode, language);
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

    test.runIf(problem.spec.languages.cpp)("takes C++, with a template, a faster and a wrong example", () => {
      expect(problem.spec.templates["C++"]).toBeDefined();
      const kinds = solutions.filter(({ language }) => language === "cpp").map(({ name }) => name.split("_")[0]);
      expect(new Set(kinds)).toEqual(new Set(["fast", "wrong"]));
    });

    const here = Object.entries(problem.spec.templates).filter(([language]) => ["Python", "C++"].includes(language));
    test.for(here)("its template in %s passes", async ([language, source]) => {
      const { ended, cases } = await judge(problem, source, "test", language === "C++" ? "cpp" : "py");
      expect(ended).toBe("passed");
      expect(cases).toHaveLength(tests.length);
    });
  });
}

describe("the hardware floor", () => {
  test("every case of every target has a cost, finite and positive", async () => {
    const costs = costsOf(
      (await findPython()).path,
      await Promise.all(
        problemDirectories().map(async (directory) => {
          const { spec, files } = await loadProblemDirectory(directory);
          const targets = Object.keys(spec.targets).map((target) => casesFor(spec, target));
          return { files, cases: targets.flatMap(({ tests, benchmarks }) => [...tests, ...benchmarks]) };
        }),
      ),
    );
    expect(costs.length).toBeGreaterThan(0);
    const wrong = costs.filter(({ bytes, operations }) => !(bytes > 0 && operations > 0));
    expect(wrong).toEqual([]);
  });

  const named = problemDirectories().map((directory) => [basename(directory), directory] as const);
  test.for(named)("the fastest example of %s is not below it", async ([, directory]) => {
    const problem = await loadProblemDirectory(directory);
    const { benchmarks } = casesFor(problem.spec, TARGET);
    // One case is enough, and the largest is the nearest to it.
    problem.spec.targets[TARGET] = { ...problem.spec.targets[TARGET], tests: [], benchmarks: benchmarks.slice(-1) };
    const fast = readSolutions(directory).filter(({ name }) => name.startsWith("fast_"));
    const [fastest] = [...fast.filter(({ language }) => language === "cpp"), ...fast];
    const { ended, cases } = await judge(problem, fastest?.source ?? "", "benchmark", fastest?.language);
    expect(ended).toBe("passed");
    const rates = ratesOf(tester.machine, TARGET);
    const floored = cases.map((one) => ({ ...one, score: scoreCase(one, TARGET), floor: floorOf(one, rates) }));
    expect(floored[0]?.floor?.ns).toBeGreaterThan(0);
    expect(belowFloor(floored)).toBeNull();
  });
});

describe("timed", async () => {
  const directory = join(import.meta.dirname, "pmpp", "vectoradd");
  const problem = await loadProblemDirectory(directory);
  const fast = readSolutions(directory).filter(({ name }) => /^fast_.*py$/.test(name));

  test.for(fast)("vectoradd's $name passes on secret inputs beside the reference", async ({ source, language }) => {
    const { ended, cases } = await judge(problem, source, "benchmark", language);
    expect(ended).toBe("passed");
    expect(cases).toHaveLength(casesFor(problem.spec, TARGET).benchmarks.length);
    const rounds = cases.flatMap((one) => one.rounds);
    expect(rounds.length).toBeGreaterThan(cases.length);
    expect(rounds.filter(({ candidateNs, referenceNs }) => !candidateNs.length || !referenceNs.length)).toEqual([]);
  });
});

/** A run by the judge: its verdict, or the class of its failure, and its cases. */
async function judge(
  problem: Problem,
  source: string,
  mode: Mode,
  language: Language = "py",
): Promise<{ ended: string; cases: CaseFinished[] }> {
  const events: JudgeEvent[] = [];
  const job = { type: "run", id: "1", mode, target: TARGET, problem, source, language } as const;
  const { verdict, failureClass } = await tester.run(job, (event) => events.push(event));
  return { ended: failureClass ?? verdict, cases: events.filter((event) => event.type === "case_finished") };
}

/** What the problems declare of these cases. */
function costsOf(
  python: string,
  asked: { files: ProblemFiles; cases: Case[] }[],
): { bytes: number; operations: number }[] {
  const program = `
import json, pathlib, sys, tempfile
costs = []
for asked in json.load(sys.stdin):
    with tempfile.TemporaryDirectory() as directory:
        for name, text in asked["files"].items():
            (pathlib.Path(directory) / name).write_text(text)
            sys.modules.pop(name.partition(".")[0], None)
        sys.path.insert(0, directory)
        import reference
        costs += [reference.cost(**case) for case in asked["cases"]]
        sys.path.pop(0)
print(json.dumps(costs, allow_nan=False))`;
  const { stdout } = spawnSync(python, ["-B", "-c", program], {
    input: JSON.stringify(asked),
    encoding: "utf8",
  });
  return z.array(z.object({ bytes: z.number(), operations: z.number() })).parse(JSON.parse(stdout));
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
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const source = readFileSync(join(folder, name), "utf8");
      const language = languageOf(name);
      if (language === null) throw new Error(`${join(folder, name)} is in no language that we know`);
      const said = /^(?:#|\/\/) expect: (?<ends>\w+)(?: in (?<mode>\w+))?\n/.exec(source)?.groups;
      if (said === undefined) throw new Error(`${join(folder, name)}: its first line says no "expect: VERDICT"`);
      const ends = z.union([z.literal("passed"), FailureClass]).parse(said["ends"]);
      return { name, source, language, ends, mode: Mode.parse(said["mode"] ?? "test") };
    });
}
