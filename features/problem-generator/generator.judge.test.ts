/** Generated problems by the checks of problems: inputs, reference, tolerance, examples and attacks. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkProblems, problemDirectories } from "@kernelbot/tester";
import { sample } from "@kernelbot/testing/sample.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeGenerated } from "@kernelbot/cli/src/problem/write-generated.ts";
import { FAMILIES } from "./families/families.ts";
import { generateProblems } from "./generator.ts";

let root: string;
let directories: string[];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "kernelbot-generated-"));
  await writeGenerated(
    join(root, "set"),
    generateProblems({ seed: 2, count: FAMILIES.length, targets: ["cpu", "H100"] }),
  );
  directories = await problemDirectories(join(root, "set"));
});
afterAll(() => rm(root, { recursive: true }));

test("a problem of each family has no finding in the checks without the judge", async () => {
  const { checked, ended } = checkProblems(directories, { quick: true, jobs: 2 });
  const problems = await Promise.all(checked);
  await ended;
  expect(problems.flatMap(({ name, findings }) => findings.map((finding) => ({ name, ...finding })))).toEqual([]);
});

test("the judge accepts the honest examples, and no mistake or attack", async () => {
  const { checked, ended } = checkProblems(sample(directories.slice(0, 3), { share: 0.3 }), { jobs: 2 });
  const problems = await Promise.all(checked);
  await ended;
  for (const { name, judged, findings } of problems) {
    expect(
      findings.filter(({ check }) => check !== "examples.timed"),
      name,
    ).toEqual([]);
    expect(judged.examples).toBeGreaterThanOrEqual(4);
    expect(judged.attacks).toBeGreaterThan(30);
  }
});
