import { spawn } from "node:child_process";
import { delimiter } from "node:path";
import {
  type Job,
  type JudgeEvent,
  KernelBotError,
  type Machine,
  TesterLine,
  type VerdictEvent,
} from "@kernelbot/core";
import { childEnvironment } from "./child-environment.ts";
import { killTree } from "./kill-tree.ts";
import { readLines } from "./lines.ts";
import { TESTER_DIRECTORY } from "./python.ts";
import { limitMs } from "./run-limit.ts";

/** Maximum length of a line from the tester: a case with every sample that the schema allows. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/**
 * Timeout of a start. Only a driver that hangs takes so long: importing PyTorch takes minutes from a cold or remote disk,
 * or on a busy machine, and a killed tester would start again from nothing.
 */
const READY_TIMEOUT_MS = 900_000;
/** Interval at which a start that is not complete is logged. */
const STARTING_LOG_MS = 60_000;
/** Time in ms that a closed tester has to end before it is killed. */
const CLOSE_TIMEOUT_MS = 2_000;
const STDERR_TAIL_CHARACTERS = 8_000;

/** Failure of the tester, not of the kernel: the same job may pass on another machine. */
export class TesterFailure extends KernelBotError {
  /** End of the tester's standard error, for the operator, not for participants. */
  readonly log: string;

  constructor(message: string, log: string) {
    super("unavailable", message);
    this.name = "TesterFailure";
    this.log = log;
  }
}

/** Timeouts in ms of a run beyond the limits of its stages. */
export interface RunTimeouts {
  graceMs: number;
  cancelMs: number;
}

interface Running {
  id: string;
  onEvent: (event: JudgeEvent) => void;
  resolve: (verdict: VerdictEvent) => void;
  reject: (failure: TesterFailure) => void;
}

/**
 * One tester process, from its start to its first failure.
 *
 *     starting --ready--> idle --run--> running --verdict--> idle
 *     any of them --exit, invalid line, timeout, close--> failed, process tree killed
 */
export class TesterProcess {
  /** Machine of the tester. Rejects when the tester refuses this machine or does not start. */
  readonly ready: Promise<Machine>;
  /** Resolves when the process and all its descendants have ended. */
  readonly gone: Promise<void>;
  readonly #child;
  readonly #readiness = Promise.withResolvers<Machine>();
  #running: Running | undefined;
  #failure: TesterFailure | undefined;
  #closed = false;
  #log = "";
  readonly #onLog: ((text: string) => void) | undefined;

  constructor(python: string, args: readonly string[], onLog?: (text: string) => void) {
    this.#onLog = onLog;
    this.#child = spawn(python, ["-m", "kernelbot_tester", "serve", ...args], {
      cwd: TESTER_DIRECTORY,
      env: testerEnvironment(process.env),
      stdio: "pipe",
      // A session of its own, so that it can be killed as a whole and a terminal's Ctrl-C does not reach it directly.
      detached: true,
    });
    const gone = Promise.withResolvers<undefined>();
    this.gone = gone.promise;
    this.#child.once("error", (error) => {
      this.#fail(`the tester cannot be started: ${error.message}`);
      if (this.#child.pid === undefined) gone.resolve(undefined);
    });
    this.#child.once("exit", () => this.#kill());
    this.#child.once("close", (code, signal) => {
      this.#closed = true;
      this.#fail(`the tester ended unexpectedly (${signal ?? `exit code ${code}`})`);
      gone.resolve(undefined);
    });
    this.#child.stdin.on("error", () => undefined); // The `close` event reports its end.
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => this.#note(text));
    void this.#read();

    const late = `the tester was not ready within ${READY_TIMEOUT_MS / 60_000} minutes`;
    const timer = setTimeout(() => this.#fail(late), READY_TIMEOUT_MS);
    const startedAt = performance.now();
    const logging = setInterval(() => {
      this.#note(`the tester is still starting after ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
    }, STARTING_LOG_MS);
    this.ready = this.#readiness.promise.finally(() => {
      clearTimeout(timer);
      clearInterval(logging);
    });
    this.ready.catch(() => undefined); // Awaiting `ready` reports the rejection; it may occur before anything awaits it.
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** See `Tester.run`. `graceMs` is added to the time limits of the stages; `cancelMs` is for the end of a cancelled run. */
  async run(
    job: Job,
    { graceMs, cancelMs }: RunTimeouts,
    onEvent: (event: JudgeEvent) => void,
    signal: AbortSignal | undefined,
  ): Promise<VerdictEvent> {
    signal?.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#running !== undefined) throw new KernelBotError("internal", "the tester runs one job at a time");
    const { promise, resolve, reject } = Promise.withResolvers<VerdictEvent>();
    this.#running = { id: job.id, resolve, reject, onEvent: (event) => signal?.aborted || onEvent(event) };

    const timers = [setTimeout(() => this.#fail("the tester hung: its time was over"), limitMs(job) + graceMs)];
    const cancel = (): void => {
      this.#write({ type: "cancel", id: job.id });
      timers.push(setTimeout(() => this.#fail("the tester did not cancel its run"), cancelMs));
    };
    signal?.addEventListener("abort", cancel, { once: true });
    this.#write(job);
    try {
      const verdict = await promise;
      signal?.throwIfAborted();
      return verdict;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", cancel);
      timers.forEach(clearTimeout);
    }
  }

  /** Ends the tester, gracefully unless a job is running, and waits until its process tree has ended. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(
      () => this.#fail("the tester was closed"),
      this.#running === undefined ? CLOSE_TIMEOUT_MS : 0,
    );
    await this.gone;
    clearTimeout(timer);
  }

  async #read(): Promise<void> {
    try {
      for await (const line of readLines(this.#child.stdout, MAX_LINE_BYTES)) this.#receive(line);
    } catch (error) {
      // The error may quote the line, so it is written to the operator's log and not to the message.
      this.#note(`${error instanceof Error ? error.message : String(error)}\n`);
      this.#fail("the tester broke its protocol");
    }
  }

  #receive(text: string): void {
    const line = TesterLine.parse(JSON.parse(text));
    if ("type" in line) {
      if (line.type === "refused") this.#fail(line.reason);
      else this.#readiness.resolve(line.machine);
      return;
    }
    const running = this.#running;
    if (running?.id !== line.id) throw new Error(`an event of run ${line.id}, which is not under way`);
    running.onEvent(line.event);
    if (line.event.type === "verdict") {
      this.#running = undefined;
      running.resolve(line.event);
    }
  }

  #write(message: Job | { type: "cancel"; id: string }): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #note(text: string): void {
    this.#log = (this.#log + text).slice(-STDERR_TAIL_CHARACTERS);
    this.#onLog?.(text);
  }

  #fail(message: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = new TesterFailure(message, this.#log);
    this.#readiness.reject(this.#failure);
    this.#running?.reject(this.#failure);
    this.#kill();
  }

  #kill(): void {
    // After the process is closed its PID may be reused.
    if (this.#child.pid !== undefined && !this.#closed) killTree(this.#child.pid);
  }
}

function testerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...childEnvironment(env, "python"),
    PYTHONPATH: [TESTER_DIRECTORY, env.PYTHONPATH].filter(Boolean).join(delimiter),
  };
}
