/** Provides the process that runs the tests in Python: serve_modules.py. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPython } from "@kernelbot/tester";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Path of the server's socket; null where no Python with PyTorch was found. */
    pythonModules: string | null;
  }
}

export default async function (project: TestProject): Promise<() => Promise<void>> {
  const python = await findPython().catch(() => null);
  const folder = mkdtempSync(join(tmpdir(), "kernelbot-python-"));
  // As /tmp is, for testers that run as another user.
  chmodSync(folder, 0o1777);
  const socket = join(folder, "socket");
  project.provide("pythonModules", python && socket);

  const start = async (): Promise<ChildProcess | null> => {
    if (python === null) return null;
    const child = spawn(python.path, ["-u", join(import.meta.dirname, "serve_modules.py"), socket], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "exit").then(() => {
      throw new Error("serve_modules.py ended before it was ready");
    });
    await Promise.race([once(child.stdout, "data"), ended]);
    ended.catch(() => undefined);
    return child;
  };
  const stop = async (): Promise<void> => {
    if (server === null) return;
    const ended = once(server, "exit");
    server.stdin?.end();
    await ended;
    rmSync(socket, { force: true });
  };
  let server = await start();
  project.onTestsRerun(async () => {
    await stop();
    server = await start();
  });
  return async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
