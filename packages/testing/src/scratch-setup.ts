/** Provides a folder for files that tests write, which is removed after the last test. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
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
  // PostgreSQL, which runs as another user where the tests run as root, passes through it.
  chmodSync(scratch, 0o711);
  project.provide("scratch", scratch);
  return () => rmSync(scratch, { recursive: true, force: true });
}
