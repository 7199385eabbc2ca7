import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clearStaleArtifactFolders, openArtifactFolder } from "./artifact-folder.ts";

test("a folder for artifacts is private, and gone with all that lies in it", async () => {
  const folder = await openArtifactFolder();
  expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
  await writeFile(join(folder.path, "a"), "a");
  await folder[Symbol.asyncDispose]();
  expect(existsSync(folder.path)).toBe(false);
});

test("what a killed process left is cleared, and what another still uses is not", async () => {
  const gone = spawn("true");
  await once(gone, "exit");
  const left = join(tmpdir(), `kernelbot-artifacts-${gone.pid ?? 0}-abcdef`);
  await mkdir(left);
  await writeFile(join(left, "half.part"), "half");
  const near = join(tmpdir(), "kernelbot-artifacts-of-another");
  await mkdir(near);
  await using used = await openArtifactFolder();
  await clearStaleArtifactFolders();
  expect([left, used.path, near].map((path) => existsSync(path))).toEqual([false, true, true]);
  await rm(near, { recursive: true });
});
