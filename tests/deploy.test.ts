/** Deployment files for operators, as far as they can be checked without running them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { USAGE } from "../packages/runner/src/options.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const found = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, group = ""]) => group);
/** Removes comments. */
const bare = (text: string): string => text.replace(/^\s*#.*$/gm, "");

const versions = read("deploy/images/versions.hcl");
const bake = bare(read("deploy/images/docker-bake.hcl"));
const dockerfile = bare(read("deploy/images/Dockerfile"));
const values = new Map(
  Array.from(versions.matchAll(/^variable "(\w+)" \{ default = "([^"]+)" \}$/gm), ([, name = "", value = ""]) => [
    name,
    value,
  ]),
);

test("every version of the images stands in one file, and each is used", () => {
  expect(versions.match(/^variable/gm)).toHaveLength(values.size);
  const used = new Set(found(bake, /\b([A-Z][A-Z_]+)\b/g));
  expect([...values.keys()].filter((name) => !used.has(name))).toEqual([]);
  // Neither of the other files contains a version of its own.
  expect(`${bake}\n${dockerfile}`).not.toMatch(/\d+\.\d+/);
});

test("what an image begins with and what is put into it has a version, and none is the latest", () => {
  for (const [name, value] of values) {
    if (name.endsWith("_BASE")) expect(value).toMatch(/^[\w./-]+:\d+\.\d+[\w.-]*$/);
    if (name.endsWith("_VERSION")) expect(value).toMatch(/^\d+(\.\d+)*$/);
  }
  const node = values.get("NODE_VERSION") ?? "";
  const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: { node: string } };
  expect(node.split(".")[0]).toBe(devDependencies.node.replace("^", "").split(".")[0]);
});

test("each image is built with all that the Dockerfile asks for", () => {
  const asked = new Set(found(dockerfile, /^ARG (\w+)$/gm));
  const common = found(/target "common"[\s\S]*?\n\}/.exec(bake)?.[0] ?? "", /^\s+(\w+)\s+= \w+$/gm);
  for (const image of ["cpu", "cuda", "rocm"]) {
    const own = new RegExp(`target "${image}"[\\s\\S]*?\\n\\}`).exec(bake)?.[0] ?? "";
    const given = [...common, ...found(/args\s+= \{(.*)\}/.exec(own)?.[1] ?? "", /(\w+) = /g)];
    expect(new Set(given.filter((name) => name === name.toUpperCase()))).toEqual(asked);
    expect(own).toContain(`IMAGE = "kernelbot-runner-${image}:\${IMAGE_VERSION}"`);
  }
  expect(dockerfile).toContain("KERNELBOT_IMAGE=${IMAGE}");
});

test("an image has what the setup of a machine installs for judging", () => {
  const forJudging = read("scripts/setup.mjs").replace(/\.\.\.\(forTests[^\n]*\n/g, "");
  const needed = found(forJudging, /program: "\w[^\n]*packages: \[([^\]]+)\]/g).flatMap((list) =>
    found(list, /"([\w+-]+)"/g),
  );
  expect(needed.length).toBeGreaterThan(4);
  const installed = /apt-get install[\s\S]*?&& rm/.exec(dockerfile)?.[0].split(/\s+/) ?? [];
  expect(needed.filter((name) => !installed.includes(name))).toEqual([]);
});

test("an image has the runner and what that imports, and what it copies is there", () => {
  const copied = found(dockerfile, /^COPY --from=packages \/kernelbot\/(\S+)/gm);
  for (const path of copied) expect(path === "node_modules" || existsSync(join(ROOT, path)), path).toBe(true);
  const { dependencies } = JSON.parse(read("packages/runner/package.json")) as { dependencies: Record<string, string> };
  const ours = Object.keys(dependencies).filter((name) => name.startsWith("@kernelbot/"));
  const folderOf = (name: string): string =>
    name === "@kernelbot/tester" ? "tester" : name.replace("@kernelbot", "packages");
  expect(copied).toEqual(expect.arrayContaining([...ours.map(folderOf), "packages/runner"]));
});

test("an image runs as a user without rights, and has no secret in it", () => {
  expect(found(dockerfile, /^USER (\S+)/gm).at(-1)).toBe("1001");
  expect(dockerfile).not.toMatch(/sudo|token|secret|password/i);
  const [first] = bare(read("deploy/images/Dockerfile.dockerignore")).trim().split("\n");
  expect(first).toBe("*");
});

interface Workflow {
  "run-name": string;
  on: Record<string, { inputs: Record<string, { required: boolean; type: string }> }>;
  permissions: Record<string, string>;
  concurrency: { group: string };
  jobs: Record<
    string,
    { "timeout-minutes"?: unknown; permissions?: unknown; steps: { uses?: string; run?: string }[] }
  >;
}
const workflow = parse(read("deploy/github-actions/kernelbot-runner.yml")) as Workflow;

test("the workflow of GitHub Actions may prove which run it is, and nothing else", () => {
  expect(workflow.permissions).toEqual({ "id-token": "write" });
  expect(Object.keys(workflow.on)).toEqual(["workflow_dispatch"]);
  for (const job of Object.values(workflow.jobs)) expect(job.permissions).toBeUndefined();
});

test("the workflow ends by itself, is called by its launch, and runs once for each", () => {
  expect(workflow["run-name"]).toBe("${{ inputs.launch }}");
  expect(workflow.concurrency.group).toBe("${{ inputs.launch }}");
  for (const job of Object.values(workflow.jobs)) expect(job["timeout-minutes"]).toBeDefined();
});

test("actions of others are taken by the hash of their commit, and no input becomes a part of a command", () => {
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
  expect(steps.length).toBeGreaterThan(0);
  for (const { uses, run } of steps) {
    if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/);
    expect(run ?? "").not.toContain("${{");
  }
});

test("the workflow calls the runner as the runner can be called", () => {
  const run = Object.values(workflow.jobs).flatMap((job) => job.steps.map((step) => step.run ?? ""));
  const options = found(run.join("\n"), /(--[a-z-]+)/g);
  expect(options).toContain("--join");
  for (const option of options) expect(USAGE).toContain(`  ${option} `);
});
