import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { combineRuns } from "./combine.ts";
import { KernelBenchEntryFile } from "./entry.ts";

const SUITE = new URL("../../../../suites/kernelbench-mini/", import.meta.url);

test("the submission file of the mini suite is combined from its kernels (`vitest run packages/core/src/kernelbench -u`)", async () => {
  const paths = globSync("runs/*/*.py", { cwd: SUITE }).sort();
  const files = await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(new URL(path, SUITE), "utf8") })),
  );
  const { file, faults } = combineRuns(files, { display_name: "Mini", run_name: "mini", notes: "Examples." });
  expect(faults).toEqual([]);
  expect(Object.keys(KernelBenchEntryFile.parse(file).kernels)).toHaveLength(9);
  await expect(`${JSON.stringify(file, null, 2)}\n`).toMatchFileSnapshot(
    "../../../../suites/kernelbench-mini/entry.json",
  );
});
