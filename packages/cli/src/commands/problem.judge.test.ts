/** Creating and checking problems as an author. The results of each check: `problem/findings.judge.test.ts`. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ProblemsChecked } from "@kernelbot/core";
import { expect, test } from "vitest";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";

test("a new problem is checked as text and as JSON, and an error in it exits with 1", async () => {
  using place = workshop();
  const made = await place.kernelbot(["problem", "new", "norm", "--set", "mine"]);
  expect(made).toMatchObject({ code: 0, err: "" });
  expect(made.out).toContain("kernelbot problem check mine/norm\n");
  expect(made.out.replace(/\s+/g, " ")).toContain("a complete example, the RMS normalization of rows");
  const clean = await place.kernelbot(["problem", "check", "mine", "--quick"]);
  expect({ ...clean, out: clean.out.replace(/[\d.]+ s/g, "N s") }).toEqual({
    code: 0,
    err: expect.stringMatching(/^1 of 1 {2}mine\/norm: /) as string,
    out: "mine/norm  no findings  0 examples and 0 attacks judged, N s\n\n1 problem: no errors; N s.\n",
  });
  rmSync(join(place.folder, "mine/norm/solutions"), { recursive: true });
  const { code, out } = await place.kernelbot(["problem", "check", ".", "--quick", "--json"]);
  const report = ProblemsChecked.parse(JSON.parse(out));
  expect({ code, ok: report.ok, target: report.target }).toEqual({ code: 1, ok: false, target: "cpu" });
  expect(report.problems.map(({ name, findings }) => [name, ...findings.map(({ what }) => what)])).toEqual([
    ["norm", "no fast_* example", "0 wrong_* examples, at least 2 required"],
  ]);
});

test("the root of a repository selects all problems in it", async () => {
  using place = workshop();
  await place.kernelbot(["problem", "new", "norm", "--set", "repo/problems/mine/deep"]);
  await place.kernelbot(["problem", "new", "scan", "--set", "repo/drafts"]);
  const ofRepository = await place.kernelbot(["problem", "check", "repo", "--quick"]);
  expect(ofRepository.out).toContain("repo/problems/mine/deep/norm  no findings");
  expect(ofRepository.out).toMatch(/^1 problem: no errors;/m);
  const empty = await place.kernelbot(["problem", "check", "repo/problems/mine/deep/norm/solutions"]);
  expect(empty.err.replace(/\s+/g, " ")).toContain(
    "name a problem, a set of problems, or a repository with SET/PROBLEM/task.yml in it or in its folder problems",
  );
});

test("an invalid or existing name and a directory without a problem are rejected with exit code 2", async () => {
  using place = workshop();
  await place.kernelbot(["problem", "new", "norm", "--set", "root/mine"]);
  const rejected: [words: string, args: string[]][] = [
    ["is not a valid problem name", ["new", "Norm"]],
    ["already exists", ["new", "norm", "--set", "root/mine"]],
    ["has the same name", ["new", "norm", "--set", "root/other"]],
    ["has no task.yml", ["check", "root/mine/norm/solutions"]],
    ['directory "nowhere" not found', ["check", "nowhere"]],
  ];
  for (const [words, args] of rejected) {
    const { code, err } = await place.kernelbot(["problem", ...args]);
    expect(err).toContain(words);
    expect(code).toBe(2);
  }
});
