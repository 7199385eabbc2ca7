/** Runners on this machine, as processes beside the server: what the quick start and a single box need. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "@kernelbot/core";
import { TOKEN_VARIABLE } from "./launcher.ts";

const RUNNER = fileURLToPath(new URL("../../../runner/src/main.ts", import.meta.url));

/** Loaded into the runner's process before its own program. */
const END_WITH_PARENT = new URL("./end-with-parent.ts", import.meta.url).href;

/** Pauses before a runner that died is started again: doubled each time, and back to the first once one lived a while; ms. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const LIVED_MS = 60_000;
/** How long a runner may take to end when asked to, and when told to; ms. */
const ASKED_MS = 300;
const TOLD_MS = 3_000;

export interface LocalRunnerOptions {
  server: string;
  token: string;
  target: string;
  unsafeNoSandbox?: boolean;
  /** Hears what the runner says and what becomes of it, line by line. */
  log: (line: string) => void;
  /** The program to run in place of the runner's, for tests. */
  program?: string;
}

export interface LocalRunner {
  /** Ends the runner and the run that it may be at, which goes back to the queue. */
  stop(): Promise<void>;
}

/** Starts a runner for a target and keeps one running until it is stopped. */
export function startLocalRunner(options: LocalRunnerOptions): LocalRunner {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  const ended = keepRunning();

  async function keepRunning(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const startedAt = Date.now();
      child = start(options);
      const end = await ending(child);
      if (stopping.signal.aborted) return;
      if (Date.now() - startedAt > LIVED_MS) pauseMs = FIRST_PAUSE_MS;
      options.log(`the runner ended with ${end}; starting another one in ${pauseMs / 1000} s`);
      if (!(await delay(pauseMs, true, { signal: stopping.signal }).catch(() => false))) return;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  return {
    async stop() {
      stopping.abort();
      // The first signal asks for an end after the run under way, the second for an end at once.
      for (const [signal, patienceMs] of [
        ["SIGTERM", ASKED_MS],
        ["SIGTERM", TOLD_MS],
        ["SIGKILL", TOLD_MS],
      ] as const) {
        child?.kill(signal);
        if (await Promise.race([ended.then(() => true), delay(patienceMs, false, { ref: false })])) return;
      }
    },
  };
}

function start({ server, token, target, unsafeNoSandbox, log, program = RUNNER }: LocalRunnerOptions): ChildProcess {
  const args = ["--server", server, "--target", target, "--name", `local ${target}`];
  if (unsafeNoSandbox === true) args.push("--unsafe-no-sandbox");
  const child = spawn(process.execPath, ["--import", END_WITH_PARENT, program, ...args], {
    // The token is not among the arguments, which everybody on this machine may list. The server's secrets stay here.
    env: { ...childEnvironment(process.env, "python", "network"), [TOKEN_VARIABLE]: token },
    // Nothing is written to its standard input: it closes when this process ends, however that happens.
    stdio: ["pipe", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", log);
  return child;
}

async function ending(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return signal === null ? `exit code ${code}` : signal;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
