/** Deployment files for operators, as far as they can be checked without running them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { USAGE } from "../packages/runner/src/options.ts";
import { COMMAND_LINE, RUNNER, SERVER } from "../scripts/release/applications.ts";

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

test("every version of the images is in one file, and each is used", () => {
  expect(versions.match(/^variable/gm)).toHaveLength(values.size);
  const used = new Set(found(bake, /\b([A-Z][A-Z_]+)\b/g));
  expect([...values.keys()].filter((name) => !used.has(name))).toEqual([]);
  // Neither of the other files contains a version of its own; addresses are no versions.
  expect(`${bake}\n${dockerfile}`.replace(/127\.0\.0\.1|0\.0\.0\.0/g, "")).not.toMatch(/\d+\.\d+/);
});

test("what an image begins with and what is put into it has a version, and none is the latest", () => {
  for (const [name, value] of values) {
    if (/_(BASE|IMAGE)$/.test(name)) expect(value).toMatch(/^[\w./-]+:\d+\.\d+[\w.-]*$/);
    if (name.endsWith("_VERSION")) expect(value).toMatch(/^\d+(\.\d+)*(\.post\d+)?$/);
  }
  const node = values.get("NODE_IMAGE") ?? "";
  const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: { node: string } };
  expect(/^node:(\d+)\./.exec(node)?.[1]).toBe(devDependencies.node.replace("^", "").split(".")[0]);
});

/** Text of a target of the bake file. */
const target = (name: string): string => new RegExp(`target "${name}"[\\s\\S]*?\\n\\}`).exec(bake)?.[0] ?? "";
/** Build arguments that a target gives, those that it inherits included. */
function argumentsOf(name: string): string[] {
  const text = target(name);
  const [parent] = found(text, /inherits = \["(\w+)"\]/g);
  const own = found(/\n {2}args\s+= \{([\s\S]*?)\}$/m.exec(text)?.[1] ?? "", /\b([A-Z_]+)\s+= ["A-Z]/g);
  return [...own, ...(parent === undefined ? [] : argumentsOf(parent))];
}
/** Stages of the Dockerfile by name: the text of each. */
const stages = new Map(
  dockerfile.split(/^(?=FROM )/m).map((text) => [/^FROM \S+ AS (\w+)/.exec(text)?.[1] ?? "", text]),
);
/** A stage and those that it is made from, by the values of the arguments that name stages. */
function stagesOf(name: string, values: Record<string, string>): string[] {
  const text = stages.get(name);
  if (text === undefined) return [];
  const used = [...found(text, /^FROM (\S+)/gm), ...found(text, /--from=(\S+)/g)];
  return [
    text,
    ...used.flatMap((each) =>
      stagesOf(
        each.replace(/\$\{(\w+)\}/, (_, key: string) => values[key] ?? ""),
        values,
      ),
    ),
  ];
}

test.each(["server", "cpu", "cuda", "rocm"])("the image %s gets the arguments that its stages ask for", (image) => {
  const stage = image === "server" ? "server" : "runner";
  expect(target(stage)).toContain(`target   = "${stage}"`);
  const texts = stagesOf(stage, { PACKAGES: "build", RUNTIME: image });
  const names = new Set([...texts.flatMap((text) => found(text, /^ARG (\w+)$/gm)), "NODE_IMAGE", "BASE_IMAGE"]);
  if (stage === "runner") names.add("RUNTIME");
  expect(argumentsOf(image).toSorted()).toEqual([...names].toSorted());
  // A version without a value fails the build.
  const versions = [...names].filter((name) => name.endsWith("_VERSION") && name !== "CUTLASS_VERSION");
  for (const name of versions) expect(texts.join("\n")).toContain(`\${${name}:?}`);
});

test.each(["cpu", "cuda", "rocm"])("the image %s reports its name and version", (image) => {
  expect(target(image)).toContain(`"kernelbot-runner-${image}:\${IMAGE_VERSION}"`);
  expect(dockerfile).toContain("KERNELBOT_IMAGE=${IMAGE}");
});

test("the image for CUDA has what participants write kernels with, and a profiler", () => {
  const installed = ["triton", "nvidia-cutlass-dsl[cu13]", "cuda-tile", "helion", "nvidia-mathdx"];
  for (const name of installed) expect(stages.get("cuda")).toContain(`"${name}==`);
  expect(stages.get("cuda")).toContain("/cutlass/include /usr/local/include");
  expect(stages.get("cuda")).toContain("nsight-compute-");
  for (const name of ["helion==", "amd-aiter @", "rocprofiler-sdk"]) expect(stages.get("rocm")).toContain(name);
});

test("an image has what the setup of a machine installs for judging", () => {
  const forJudging = read("scripts/setup.mjs").replace(/\.\.\.\(for(?:Tests|Night)[^\n]*\n/g, "");
  const needed = found(forJudging, /program: "\w[^\n]*packages: \[([^\]]+)\]/g).flatMap((list) =>
    found(list, /"([\w+-]+)"/g),
  );
  expect(needed.length).toBeGreaterThan(4);
  const installed = /apt-get install[\s\S]*?&& rm/.exec(stages.get("python") ?? "")?.[0].split(/\s+/) ?? [];
  expect(needed.filter((name) => !installed.includes(name))).toEqual([]);
});

test("the final stages take the installed package and Node.js, and nothing of the checkout", () => {
  for (const [stage, paths] of [
    ["server", ["/packages/node", "/packages/server"]],
    ["runner", ["/packages/node", "/packages/runner"]],
  ] as const) {
    expect(found(stages.get(stage) ?? "", /^(COPY|ADD) /gm)).toHaveLength(2);
    expect(found(stages.get(stage) ?? "", /^COPY --from=packages (\S+)/gm)).toEqual(paths);
  }
});

test("an image runs as a user without rights, reports its health, and has no secret in it", () => {
  for (const stage of ["server", "runner"]) {
    expect(found(stages.get(stage) ?? "", /^USER (\S+)/gm).at(-1)).toBe("1001");
    expect(stages.get(stage)).toContain("HEALTHCHECK ");
    expect(stages.get(stage)).toContain("org.opencontainers.image.title=");
  }
  expect(bake).toContain('"type=sbom"');
  expect(dockerfile).not.toMatch(/sudo|token|secret|password/i);
  const [first] = bare(read("deploy/images/Dockerfile.dockerignore")).trim().split("\n");
  expect(first).toBe("*");
});

test("the build sees every file that it reads", () => {
  const seen = found(bare(read("deploy/images/Dockerfile.dockerignore")), /^!(\S+)$/gm);
  // A release adds the executables that it made on other machines.
  for (const path of seen.filter((each) => each !== "executables"))
    expect(existsSync(join(ROOT, path)), path).toBe(true);
  const { workspaces } = JSON.parse(read("package.json")) as { workspaces: string[] };
  const readByBuild = [
    ...[COMMAND_LINE, RUNNER, SERVER].flatMap(({ files, entries }) => [...files, ...entries]),
    ...workspaces,
  ];
  const missing = readByBuild.filter((path) => !seen.some((each) => `${path}/`.startsWith(`${each}/`)));
  expect(missing).toEqual([]);
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
