/**
 * Starts server and runner as real processes, for the demo, the end-to-end tests and the benchmarks.
 * @example
 * await using server = await startServer({ localRunner: "cpu" });
 * const client = createClient({ server: server.url, token: server.token });
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { join, resolve } from "node:path";
import type { Scope } from "@kernelbot/core";

const ROOT = resolve(import.meta.dirname, "..");
export const SERVER = join(ROOT, "packages/server/src/main.ts");
const RUNNER = join(ROOT, "packages/runner/src/main.ts");
export const CLI = join(ROOT, "packages/cli/src/main.ts");

/** A program, and the Node.js that runs it. */
export type Program = readonly [node: string, script: string];

/** Timeout in ms until a process reports that it is ready. */
const READY_MS = 240_000;

interface ServerOptions {
  /** Data folder, which is kept; by default a temporary folder that is removed with the server. */
  dataDir?: string;
  /** Fixed port, so that a server can be restarted at the same address. */
  port?: number;
  problems?: string;
  localRunner?: string;
  /** Node.js and the program; by default the sources. */
  program?: Program;
  env?: Record<string, string>;
  /** Timeout in ms until the server is ready, by default 4 minutes. */
  readyMs?: number;
  /** Receives every line that the server prints. */
  onLine?: (line: string) => void;
}

export interface RunningServer extends AsyncDisposable {
  url: string;
  port: number;
  /** Operator's token; empty unless this was the first start with its data folder. */
  token: string;
  dataDir: string;
  process: ChildProcess;
}

/** Creates a temporary folder that the embedded database's user can access. */
export function temporaryDataDir(): string {
  const dir = mkdtempSync("/var/tmp/kernelbot-");
  chmodSync(dir, 0o755);
  return dir;
}

/**
 * Starts a server. Resolves once it responds and its runner claims runs. @throws Error with its output when it
 * ends instead.
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const dataDir = options.dataDir ?? temporaryDataDir();
  const args = ["serve", "--port", String(options.port ?? 0), "--data", dataDir];
  if (options.problems !== undefined) args.push("--problems", options.problems);
  if (options.localRunner !== undefined) args.push("--local-runner", options.localRunner);
  // Tests and benchmarks send more requests from one address than the limits allow.
  const child = start(options.program ?? [process.execPath, SERVER], args, {
    KERNELBOT_LIMITS: "none",
    KERNELBOT_CLIENT_LIMITS: "none",
    // Its sample entry would take time of the runner.
    KERNELBOT_SAMPLE_SUITE: "no",
    ...options.env,
  });
  let link: string | undefined;
  let created: string | undefined;
  let url: string | undefined;
  let runs = options.localRunner === undefined;
  const isReady = (line: string): boolean => {
    options.onLine?.(line);
    created = /^Created the account/.exec(line)?.[0] ?? created;
    link = SIGN_IN_LINK.exec(line)?.[0] ?? link;
    url = /^KernelBot .*(http:\/\/[\w.:[\]]+)/.exec(line)?.[1] ?? url;
    runs ||= line.includes("claiming runs for");
    if (line.includes("runner ended with")) throw new Error("the local runner cannot judge on this machine");
    return url !== undefined && runs;
  };
  await untilLine(child, isReady, options.readyMs);
  if (url === undefined) throw new Error("the server did not say its address");
  return {
    url,
    port: Number(new URL(url).port),
    token: created !== undefined && link !== undefined ? await tokenByLink(url, link) : "",
    dataDir,
    process: child,
    async [Symbol.asyncDispose]() {
      await stop(child, "SIGTERM");
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The sign-in link in a line that a server prints. */
export const SIGN_IN_LINK = /http\S+\/sign-in\/link\?token=[\w-]+/;

/** Signs in by a link that a server printed, as a browser does. @returns a token of the account. */
export async function tokenByLink(
  server: string,
  link: string,
  scopes: readonly Scope[] = ["submit", "read", "account", "admin"],
): Promise<string> {
  const { origin, searchParams } = new URL(link);
  const body = new URLSearchParams({ token: searchParams.get("token") ?? "" });
  const signedIn = await fetch(`${server}/sign-in/link`, {
    ...{ method: "POST", headers: { origin }, body, redirect: "manual" },
  });
  const cookie = signedIn.headers.getSetCookie().join().split(";")[0] ?? "";
  const created = await fetch(`${server}/api/v1/tokens`, {
    method: "POST",
    headers: { origin, cookie, "content-type": "application/json" },
    body: JSON.stringify({ label: "test", scopes }),
  });
  return ((await created.json()) as { token: string }).token;
}

/** Creates a token through the operator's command while the server runs. */
export function mintToken(dataDir: string, options: { label: string; scopes: string; targets?: string }): string {
  const args = Object.entries({ data: dataDir, ...options }).flatMap(([name, value]) => [`--${name}`, value]);
  return execFileSync(process.execPath, [SERVER, "token", ...args], { env: environment(), encoding: "utf8" }).trim();
}

/** Starts a runner for a target. Resolves once it claims runs. */
export async function startRunner(options: {
  server: string;
  token: string;
  target: string;
  name?: string;
  /** Node.js and the program; by default the sources. */
  program?: Program;
  /** Additional options of the runner. */
  args?: string[];
}): Promise<ChildProcess> {
  const args = ["--server", options.server, "--target", options.target, "--name", options.name ?? "test"];
  args.push(...(options.args ?? []));
  const child = start(options.program ?? [process.execPath, RUNNER], args, { KERNELBOT_RUNNER_TOKEN: options.token });
  await untilLine(child, (line) => line.includes("claiming runs for"));
  return child;
}

/** Returns a port of this machine that nothing uses. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Sends a signal and waits until the process has ended. */
export async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

function start([node, script]: Program, args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(node, [script, ...args], {
    env: { ...environment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/**
 * Returns the environment of a program, as in `npm run serve`, but without DATABASE_URL, so that it uses its own
 * database. Compiled code is cached. Freed large buffers are returned to the system, where glibc would keep them, some
 * 40 MB in an export of the data.
 */
export function environment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...inherited } = process.env;
  return {
    ...inherited,
    NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/kernelbot"),
    MALLOC_MMAP_THRESHOLD_: "131072",
  };
}

/**
 * Reads output until `isReady` returns true. @throws Error with the output when `isReady` throws, the process ends, or
 * the timeout expires; the process is killed.
 */
export async function untilLine(
  child: ChildProcess,
  isReady: (line: string) => boolean,
  readyMs = READY_MS,
): Promise<void> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the process has no pipes");
  const seen: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const fail = (why: string): void => reject(new Error([why, ...seen].join("\n")));
  const timer = setTimeout(() => fail(`not ready within ${readyMs / 1000} s`), readyMs);
  child.once("exit", (code, signal) => fail(`ended with ${signal ?? `exit code ${code}`} before it was ready`));
  for (const stream of [stdout, stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      if (seen.length < 200) seen.push(line);
      try {
        if (isReady(line)) resolve(undefined);
      } catch (error) {
        fail(error instanceof Error ? error.message : String(error));
      }
    });
  }
  try {
    await promise;
  } catch (error) {
    await stop(child, "SIGTERM");
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
