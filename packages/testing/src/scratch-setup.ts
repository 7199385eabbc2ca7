/** Provides a folder for files that tests write, which is removed after the last test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Folder for files written by tests, removed after the last test. */
    scratch: string;
  }
}

export default function (project: TestProject): () => void {
  const scratch = mkdtempSync(join(tmpdir(), "kernelbot-scratch-"));
  project.provide("scratch", scratch);
  return () => rmSync(scratch, { recursive: true, force: true });
}
