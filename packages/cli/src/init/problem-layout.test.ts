/** Paths from a server are placed below `problem/`, or rejected before anything is written. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KernelBotError } from "@kernelbot/core";
import { expect, test } from "vitest";
import { problem } from "@kernelbot/testing/cli/samples.ts";
import { layoutOf } from "./problem-layout.ts";
import { writeFiles } from "./write-files.ts";

/** Returns a problem with its harness at that path. */
function legacy(source: string) {
  const detail = problem();
  const task = `
description: Adds.
tests: [{ n: 1 }]
benchmarks: [{ n: 1 }]
gpus: [cpu]
files: [{ name: submission.py, source: "@SUBMISSION@" }, { name: eval.py, source: ${JSON.stringify(source)} }]
config: { main: eval.py }
`;
  const spec = { ...detail.spec, harness: "legacy" } as const;
  return { ...detail, spec, files: { "task.yml": task, "eval.py": "# harness\n" } };
}

test.each([
  ["eval.py", "problem/vectoradd", "problem/vectoradd/eval.py"],
  ["../eval.py", "problem/vectoradd", "problem/eval.py"],
  ["../../other/eval.py", "problem/set/vectoradd", "problem/other/eval.py"],
])("a harness at %s keeps its position relative to the problem", (source, directory, path) => {
  const layout = layoutOf(legacy(source));
  expect([layout.directory, ...layout.files.keys()]).toEqual([directory, `${directory}/task.yml`, path]);
});

const HOSTILE = ["..", "/etc/x", "a/../x", ".git", "a\\b", "C:x", "x\u001b[2J", "x\u202e.py", "", "x".repeat(201)];

test.each([
  ...["../x", ...HOSTILE].map((name) => ({
    name,
    detail: { ...problem(), files: { ...problem().files, [name]: "hostile" } },
  })),
  ...["../../../x", ...HOSTILE].map((name) => ({ name, detail: legacy(name) })),
])("a file named $name is refused, and nothing is written", async ({ detail }) => {
  const home = mkdtempSync(join(tmpdir(), "kernelbot-layout-"));
  try {
    await expect(writeFiles(join(home, "folder"), layoutOf(detail).files, true)).rejects.toThrow(KernelBotError);
    expect(readdirSync(home)).toEqual([]);
  } finally {
    rmSync(home, { recursive: true });
  }
});
