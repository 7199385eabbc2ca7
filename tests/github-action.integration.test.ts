/** The composite action: its inputs become options of `kernelbot ci duel`, and no input becomes a part of a command. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const Action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string().optional() })),
  runs: z.object({
    steps: z.array(z.object({ name: z.string(), run: z.string(), env: z.record(z.string(), z.string()) })),
  }),
});
const FILE = join(import.meta.dirname, "../deploy/github-actions/duel/action.yml");
const { inputs, runs } = Action.parse(parse(readFileSync(FILE, "utf8")));

/** Runs the last step with these inputs and a `kernelbot` that prints its arguments. */
function argumentsOf(given: Record<string, string>, event = "pull_request"): string[] {
  const folder = mkdtempSync(join(inject("scratch"), "action-"));
  const stub = join(folder, "kernelbot");
  writeFileSync(stub, '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  chmodSync(stub, 0o755);
  const { run, env } = runs.steps.at(-1) ?? { run: "", env: {} };
  const values: Record<string, string> = {};
  for (const [name, expression] of Object.entries(env)) {
    const [, input = ""] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression) ?? [];
    values[name] = given[input] ?? inputs[input]?.default ?? "";
  }
  const output = execFileSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
    encoding: "utf8",
    env: {
      ...values,
      PATH: `${folder}:${process.env.PATH ?? ""}`,
      GITHUB_STEP_SUMMARY: "/summary",
      GITHUB_EVENT_NAME: event,
    },
  });
  return output.trimEnd().split("\n");
}

test("inputs become options", () => {
  const usual = ["ci", "duel", "--base", "HEAD^1", "--fail-on", "slower", "--summary", "/summary"];
  expect(argumentsOf({})).toEqual([...usual, "--comment"]);
  expect(argumentsOf({}, "push")).toEqual(usual);
  const own = { problem: "shapes", path: "*.py", target: "H100", comment: "false" };
  expect(argumentsOf(own)).toEqual([...usual, "--path", "*.py", "--target", "H100", "--problem", "shapes"]);
});

test("an input with shell syntax is one argument", () => {
  expect(argumentsOf({ path: "$(touch /tmp/x); `id` 'a b'", comment: "false" }).at(-1)).toBe(
    "$(touch /tmp/x); `id` 'a b'",
  );
});

test("no expression is in a script", () => {
  expect(runs.steps.filter(({ run }) => run.includes("${{"))).toEqual([]);
});
