import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";

test("generated problems are written once, more are added, and an edited one is not overwritten", async () => {
  using place = workshop();
  const generate = (...args: string[]) => place.kernelbot(["problem", "generate", "--out", "root/set", ...args]);
  const first = await generate("--count", "2", "--seed", "7");
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(first.out).toContain("Wrote 2 problems to root/set.\n");
  expect(first.out).toContain("kernelbot problem check root/set --quick");
  const more = await generate("--count", "3", "--seed", "7");
  expect(more.out).toContain("Wrote 1 problem to root/set; 2 existed.\n");
  const names = readdirSync(join(place.folder, "root/set"));
  expect(names).toHaveLength(3);
  for (const name of names) expect(name).toMatch(/^gen-7-000[123]-[a-z0-9-]+$/);
  const task = join(place.folder, "root/set", names[1] ?? "", "task.yml");
  expect(readFileSync(task, "utf8")).toMatch(/^ {2}cpu:\n {4}benchmarks:[^]*^ {2}H100:$/m);
  writeFileSync(task, "edited");
  const edited = await generate("--count", "3", "--seed", "7");
  expect(edited).toMatchObject({ code: 2, out: "" });
  expect(edited.err.replace(/\s+/g, " ")).toContain('task.yml" has other content');
  expect(readFileSync(task, "utf8")).toBe("edited");
});

test.each([
  [["--count", "2"], "--out DIR is required"],
  [["--out", "x", "--count", "0"], "--count must be an integer from 1 to 100000"],
  [["--out", "x", "--seed", "-1"], "--seed"],
  [["--out", "x", "--target", "no target"], '"no target" is not a valid target name'],
])("invalid options %j are rejected", async (args, words) => {
  using place = workshop();
  const { code, err } = await place.kernelbot(["problem", "generate", ...args]);
  expect(code).toBe(2);
  expect(err).toContain(words);
});
