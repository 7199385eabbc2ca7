/** Runs the command like a user: in a process of its own, without this machine's settings. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { inject } from "vitest";
import { TOKEN } from "./fake-server.ts";

/** Compile cache shared by all calls. */
const CACHE = resolve(import.meta.dirname, "../../../../node_modules/.cache");

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface Call {
  server?: string;
  input?: string | Uint8Array;
  env?: Record<string, string>;
  /** Output at which the process is interrupted. */
  interruptAt?: string;
  /** Signal sent at `interruptAt`; SIGINT by default. */
  signal?: NodeJS.Signals;
  /** Receives the standard output as it is written. */
  onOutput?: (text: string) => void;
}

/** Creates a folder for a test's files and its user's configuration. */
export function workshop() {
  const folder = mkdtempSync(join(tmpdir(), "kernelbot-cli-"));
  return {
    folder,
    file: (name: string, content: string | Uint8Array): string => {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    kernelbot: (args: readonly string[], call: Call = {}) => kernelbot(folder, args, call),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Returns the minimal environment of a command, with the folder as its user's home. */
export function environment(folder: string, { server, env }: Pick<Call, "server" | "env">): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    TMPDIR: tmpdir(),
    XDG_CACHE_HOME: CACHE,
    TZ: "UTC",
    ...(server !== undefined && { KERNELBOT_SERVER: server, KERNELBOT_TOKEN: TOKEN }),
    ...env,
  };
}

async function kernelbot(folder: string, args: readonly string[], call: Call): Promise<Ended> {
  const child = spawn(process.execPath, [inject("commandLine"), ...args], {
    cwd: folder,
    env: environment(folder, call),
    stdio: "pipe",
  });
  child.stdin.on("error", () => undefined); // The process may end before it has read everything.
  child.stdin.end(call.input);
  const { interruptAt, signal = "SIGINT", onOutput } = call;
  if (onOutput !== undefined) child.stdout.on("data", (chunk: Buffer) => onOutput(chunk.toString()));
  if (interruptAt !== undefined) {
    child.stdout.on("data", (chunk: Buffer) => chunk.includes(interruptAt) && child.kill(signal));
  }
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}
