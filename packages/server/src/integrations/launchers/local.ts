/** Runners as child processes of the server, for the quick start and for single machines. */
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "@kernelbot/tester/child-environment";
import { TOKEN_VARIABLE } from "./launcher.ts";

const RUNNER = fileURLToPath(new URL("../../../../runner/src/main.ts", import.meta.url));

/** Preloaded into the runner's process; ends the runner when the server ends. */
const END_WITH_PARENT = new URL("./end-with-parent.ts", import.meta.url).href;

/**
 * Delay before a runner that ended is restarted, in milliseconds: doubled each time, and reset after a runner has lived
 * for LIVED_MS.
 */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const LIVED_MS = 60_000;
/** Milliseconds to wait after the first SIGTERM, and after each later signal. */
const ASKED_MS = 300;
const TOLD_MS = 3_000;

interface LocalRunnerOptions {
  server: string;
  token: string;
  target: string;
  unsafeNoSandbox?: boolean;
  /** Called with each line of the runner's output and with messages about its process. */
  log: (line: string) => void;
  /** Program to run instead of the runner, for tests. */
  program?: string;
}

interface LocalRunner {
  /** Stops the runner; its current run is requeued. */
  stop(): Promise<void>;
}

/** Starts a runner for a target, and restarts it whenever it ends, until stopped. */
export function startLocalRunner(options: LocalRunnerOptions): LocalRunner {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  const ended = keepRunning();

  async function keepRunning(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const startedAt = Date.now();
      const end = await run(options, (started) => (child = started));
      if (stopping.signal.aborted) return;
      if (Date.now() - startedAt > LIVED_MS) pauseMs = FIRST_PAUSE_MS;
      options.log(`runner ended with ${end}; restarting in ${pauseMs / 1000} s`);
      if (!(await delay(pauseMs, true, { signal: stopping.signal }).catch(() => false))) return;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  return {
    async stop() {
      stopping.abort();
      // The first SIGTERM requests an end after the current run, the second an immediate end.
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

/** Runs the program to its end, and returns how it ended, or why it could not be started. */
async function run(options: LocalRunnerOptions, onStart: (child: ChildProcess) => void): Promise<string> {
  try {
    const child = start(options);
    onStart(child);
    const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    exited.catch(() => undefined); // Awaited below.
    // A process that was not started for lack of file descriptors has no streams.
    await once(child, "spawn");
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", options.log);
    const [code, signal] = await exited;
    return signal ?? `exit code ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function start({
  server,
  token,
  target,
  unsafeNoSandbox,
  program = RUNNER,
}: LocalRunnerOptions): ChildProcessWithoutNullStreams {
  const args = ["--server", server, "--target", target, "--name", `local ${target}`];
  if (unsafeNoSandbox === true) args.push("--unsafe-no-sandbox");
  return spawn(process.execPath, ["--import", END_WITH_PARENT, program, ...args], {
    // The token is passed in the environment, because any user can list process arguments. The server's own secrets are
    // not inherited.
    env: { ...childEnvironment(process.env, "python", "network"), [TOKEN_VARIABLE]: token },
    // Standard input is never written to: it closes when this process ends, which the runner detects.
    stdio: ["pipe", "pipe", "pipe"],
  });
}
