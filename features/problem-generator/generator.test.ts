import { createHash } from "node:crypto";
import { parseProblem, type Problem } from "@kernelbot/core";
import { specFindings } from "@kernelbot/tester";
import { expect, test } from "vitest";
import { FAMILIES } from "./families/families.ts";
import type { GeneratedProblem } from "@kernelbot/cli/src/problem/write-generated.ts";
import { generateProblems, type Generation } from "./generator.ts";

const generate = (generation: Partial<Generation>): GeneratedProblem[] => [
  ...generateProblems({ seed: 7, count: 3 * FAMILIES.length, targets: ["cpu", "H100"], ...generation }),
];

/** Returns the files at the top of the directory, which make the problem. */
const parsed = ({ name, files }: GeneratedProblem): Problem =>
  parseProblem(name, Object.fromEntries(Object.entries(files).filter(([path]) => !path.includes("/"))));

test("the files of this version do not change", () => {
  const digest = createHash("sha256")
    .update(JSON.stringify(generate({ count: 200 })))
    .digest("hex");
  // Where they must change, raise GENERATOR_VERSION.
  expect(digest.slice(0, 16)).toBe("54778c4051a43436");
});

test("a smaller count gives the first problems of a larger one, and another seed gives others", () => {
  const all = generate({});
  expect(generate({ count: 10 })).toEqual(all.slice(0, 10));
  const other = generate({ seed: 8 });
  expect(other.filter((one, at) => one.files["reference.py"] === all[at]?.files["reference.py"])).toEqual([]);
});

test("a thousand problems differ in their names, and in program or sizes", () => {
  const all = generate({ count: 1000 });
  expect(new Set(all.map(({ name }) => name)).size).toBe(1000);
  const contents = all.map(({ name, files: { "task.yml": task = "", "reference.py": reference = "" } }) =>
    (task.replaceAll(/, seed: \d+| seed \d+, number \d+/g, "") + reference).replaceAll(name, ""),
  );
  expect(new Set(contents).size).toBe(1000);
});

test("problems of all families are valid, and the checks that run nothing find no fault", () => {
  for (const problem of generate({ count: 200 })) {
    const { spec } = parsed(problem);
    expect(specFindings(parsed(problem)), problem.name).toEqual([]);
    expect(Object.keys(spec.targets)).toEqual(["cpu", "H100"]);
    const examples = Object.keys(problem.files).filter((path) => path.startsWith("solutions/"));
    expect(examples).toEqual(expect.arrayContaining(["solutions/wrong_tail.py", "solutions/wrong_replay.py"]));
  }
});

test.each([
  [["cpu"], 1],
  [["H100"], 1],
  [["cpu", "H100", "B200"], 3],
])("problems for %j have these boards, with small cases for the processor", (targets, boards) => {
  const [problem] = generate({ targets, count: 1 });
  const { spec } = parsed(problem as GeneratedProblem);
  expect(Object.keys(spec.targets)).toHaveLength(boards);
  const elements = ({ rows, columns }: Record<string, unknown>) => Number(rows) * Number(columns);
  const small = spec.targets["cpu"]?.benchmarks ?? spec.benchmarks;
  for (const sizes of targets.includes("cpu") ? small : []) expect(elements(sizes)).toBeLessThan(4_000_000);
  if (targets.includes("H100")) expect(Math.max(...spec.benchmarks.map(elements))).toBeGreaterThan(60_000_000);
});
