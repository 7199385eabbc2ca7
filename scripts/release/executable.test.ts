import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PORTABLE_PLATFORMS, writeExecutable } from "./executable.ts";

test("executables for macOS are refused on other systems, which cannot sign them", async () => {
  expect(PORTABLE_PLATFORMS).not.toContain("darwin-arm64");
  const other = process.arch === "x64" ? "darwin-arm64" : "darwin-x64";
  await expect(writeExecutable([], other, join(tmpdir(), "kernelbot"))).rejects.toThrow(
    `the executable for ${other} is made and signed there`,
  );
});
