/** The command as a user runs it: a process of its own, with nothing of the machine's settings. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { TOKEN } from "./fake-server.ts";

export const MAIN = resolve(import.meta.dirname, "../main.ts");
/** Compiled code, kept from call to call. */
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
  /** Ctrl-C, once it has printed this. */
  interruptAt?: string;
  /** What it gets then, Ctrl-C where nothing is said. */
  signal?: NodeJS.Signals;
  /** Hears what it prints on the standard output, as it comes. */
  onOutput?: (text: string) => void;
}

/** A folder for a test's files and its user's configuration. */
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

/** Nothing but what a command needs: its user's home is the folder. */
export function environment(folder: string, { server, env }: Pick<Call, "server" | "env">): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    XDG_CACHE_HOME: CACHE,
    TZ: "UTC",
    ...(server !== undefined && { KERNELBOT_SERVER: server, KERNELBOT_TOKEN: TOKEN }),
    ...env,
  };
}

async function kernelbot(folder: string, args: readonly string[], call: Call): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: environment(folder, call),
    stdio: "pipe",
  });
  child.stdin.on("error", () => undefined); // It may end before it has read everything.
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
