import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parquetPaths } from "./paths.ts";

test("files are found in folders and linked folders of some levels, and broken links are left out", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kernelbot-paths-"));
  try {
    mkdirSync(join(folder, "data/cup/deep"), { recursive: true });
    for (const file of ["top.parquet", "data/notes.txt", "data/cup/a.parquet", "data/cup/deep/b.parquet"]) {
      writeFileSync(join(folder, file), "");
    }
    symlinkSync(join(folder, "data/cup"), join(folder, "linked"));
    symlinkSync(join(folder, "missing"), join(folder, "broken"));
    symlinkSync(join(folder, "top.parquet"), join(folder, "data/linked.parquet"));
    const found: string[] = [];
    for await (const path of parquetPaths(folder, 3)) found.push(path.slice(folder.length + 1));
    expect(found.toSorted()).toEqual([
      "data/cup/a.parquet",
      "data/linked.parquet",
      "linked/a.parquet",
      "linked/deep/b.parquet",
      "top.parquet",
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
