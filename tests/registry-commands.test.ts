/**
 * Before the first release, the names of our packages are free on public registries: a stranger who takes one would run code on
 * the machines of readers. So no command of the documentation asks a registry for them.
 */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const FILES = globSync(["README.md", "{features/*/,}docs/{start,guides,reference}/*.md"], { cwd: ROOT });

const OURS = String.raw`["']?@?kernelbot[\w/-]*(?:[@=~<>][^\s"'\`]*)?["']?(?=[\s\`)|;,.]|$)`;
const OPTIONS = String.raw`(?:\s+-{1,2}[\w-]+(?:[= ](?!kernelbot|@kernelbot|-)[^\s\`]+)?)*`;
/** Commands that look up a name in the registries of npm, PyPI and conda. */
const FETCHES = new RegExp(
  String.raw`\b(?:npx|npm (?:exec|init|create)|bunx|pnpm dlx|yarn dlx|uvx|pipx (?:run|install)|npm (?:install|i|add)|pnpm add|(?:pip3?|uv pip|uv) (?:install|add)|conda install)${OPTIONS}(?:\s+[\w.-]+)*?\s+${OURS}`,
);

/** Returns the lines of a page with such a command. A section for what comes with the first release says so in its heading. */
function registryCommands(text: string): string[] {
  let heading = "";
  return text.split("\n").filter((line) => {
    if (/^#+ /.test(line)) heading = line;
    return FETCHES.test(line) && !/first release/i.test(heading);
  });
}

test.each([
  "npx kernelbot-server --local-runner cpu",
  "npx --yes kernelbot@0.1.0 submit",
  "export T=$(npx kernelbot-server token)",
  "npm install --global kernelbot-server",
  "npm install --global --prefix /opt/kernelbot kernelbot-server@X.Y.Z",
  "| a server | `npm i kernelbot` |",
  "pip install kernelbot",
  "python3 -m pip install numpy kernelbot==0.1.0",
  "uvx kernelbot",
  "npm install @kernelbot/api",
])("%j asks a registry", (line) => {
  expect(registryCommands(line)).toEqual([line]);
  expect(registryCommands(`## From the first release on\n${line}`)).toEqual([]);
});

test.each([
  "npm install --global ./kernelbot-server-0.1.0.tgz",
  "npm install --global --prefix /opt/kernelbot ./kernelbot-server-VERSION.tgz",
  "npm install --global https://kernels.example.org/downloads/kernelbot-runner-0.1.0.tgz",
  "pip install https://kernels.example.org/downloads/kernelbot-0.1.0-py3-none-any.whl",
  "pip install trl, then `kernelbot` finds it",
  "kernelbot-server --local-runner cpu",
  "npm install openai",
])("%j does not", (line) => {
  expect(registryCommands(line)).toEqual([]);
});

test.each(FILES)("%s names no command that a machine without our names on a registry cannot run", (file) => {
  expect(registryCommands(readFileSync(join(ROOT, file), "utf8"))).toEqual([]);
});
