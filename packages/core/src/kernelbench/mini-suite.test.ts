import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { combineRuns } from "./combine.ts";
import { checkEntry } from "./entry-check.ts";
import { KernelBenchEntryFile } from "./entry.ts";
import { SuiteUpload } from "./suite.ts";

const SUITE = new URL("../../../../suites/kernelbench-mini/", import.meta.url);
const NOTES =
  "A sample that comes with KernelBot, judged on this server: some kernels are correct, the others fail in different ways. The operator can leave it out with --sample-suite no.";

function read(path: string): string {
  return readFileSync(new URL(path, SUITE), "utf8");
}

test("the submission file of the mini suite is combined from its kernels (`vitest run packages/core/src/kernelbench -u`)", async () => {
  const files = globSync("runs/*/*.py", { cwd: SUITE })
    .toSorted()
    .map((path) => ({ path, text: read(path) }));
  const { file, faults } = combineRuns(files, { display_name: "Sample entry", run_name: "mini", notes: NOTES });
  expect(faults).toEqual([]);
  expect(Object.keys(KernelBenchEntryFile.parse(file).kernels)).toHaveLength(9);
  await expect(`${JSON.stringify(file, null, 2)}\n`).toMatchFileSnapshot(
    "../../../../suites/kernelbench-mini/entry.json",
  );
});

test("the suite that servers offer has the problems of the checkout, and a kernel for each in its entry", () => {
  const suite = SuiteUpload.parse(JSON.parse(read("suite.json")));
  const checkout = globSync("KernelBench/*/*.py", { cwd: SUITE }).toSorted();
  expect(suite.problems.map(({ level, fileName }) => `KernelBench/level${level}/${fileName}`)).toEqual(checkout);
  for (const { source, fileName } of suite.problems) {
    expect(source).toBe(read(checkout.find((path) => basename(path) === fileName) ?? ""));
  }
  expect(checkEntry(JSON.parse(read("entry.json")), suite).check).toMatchObject({ ok: true });
});
