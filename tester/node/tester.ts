import type { Job, JudgeEvent, Machine, VerdictEvent } from "@kernelbot/core";
import { KernelBotError } from "@kernelbot/core";
import { TesterProcess } from "./process.ts";
import { findPython } from "./python.ts";

/**
 * Time in ms that a run may exceed the limits of its stages before the tester is considered hung and killed. The tester
 * itself allows a judge ten minutes beyond them.
 */
const GRACE_MS = 660_000;
/** Time in ms that a cancelled run has to end before its tester is killed, which costs the next run a start. */
const CANCEL_MS = 30_000;

export interface TesterOptions {
  /** Path of the interpreter; found by `findPython` by default. */
  python?: string;
  /** Judges without the sandbox on machines that do not support it. Every result is marked. */
  unsafeNoSandbox?: boolean;
  /** Number of testers that share the machine and its memory; 1 by default. Timed runs of all take turns. */
  slots?: number;
  /** Judges problems of accelerators too, and refuses a machine without one. */
  accelerator?: boolean;
  /**
   * With `accelerator`, on a machine without one: tries kernels on the CPU without judging them. Never for a server.
   */
  rehearse?: boolean;
  /**
   * Time that a run may exceed the sum of its stages' limits before the tester is killed, in ms; eleven minutes
   * by default.
   */
  graceMs?: number;
  /** Time that a cancelled run may take to end before the tester is killed, in ms; 30 seconds by default. */
  cancelMs?: number;
  /** Receives the tester's standard error: tracebacks of judges, and output of problems. */
  onLog?: (text: string) => void;
}

/** Tester that runs one job at a time. A process that failed or was stopped by `rest` is restarted on demand. */
export interface Tester {
  /** Machine as described at the tester's last start. */
  readonly machine: Machine;
  /** PID of the current process, for measuring its memory. */
  readonly pid: number | undefined;
  /**
   * Resolves when the tester is ready, after restarting it if necessary.
   * @throws TesterFailure when it cannot be started or refuses this machine.
   */
  ready(): Promise<Machine>;
  /**
   * Runs a job, one at a time. `onEvent` receives every event in order, the verdict last.
   * @throws TesterFailure when the tester fails: an infrastructure error, never caused by the kernel.
   * @throws the signal's reason when it is aborted; the run has ended by then, and no event follows the abort.
   */
  run(job: Job, onEvent: (event: JudgeEvent) => void, signal?: AbortSignal): Promise<VerdictEvent>;
  /** Stops the process to free its memory. The next job restarts it, which takes some seconds. */
  rest(): Promise<void>;
  /** Stops the tester permanently and waits until its process tree has ended. */
  close(): Promise<void>;
}

/**
 * Starts the tester and waits until it is ready.
 * @throws KernelBotError `unavailable` when there is no suitable Python, or the tester refuses this machine: the message says why.
 */
export async function startTester(options: TesterOptions = {}): Promise<Tester> {
  const python = options.python ?? (await findPython()).path;
  const args = [
    ...(options.unsafeNoSandbox === true ? ["--unsafe-no-sandbox"] : []),
    ...(options.accelerator === true ? ["--accelerator"] : []),
    ...(options.rehearse === true ? ["--rehearse"] : []),
    ...(options.slots === undefined ? [] : ["--slots", String(options.slots)]),
  ];
  const { graceMs = GRACE_MS, cancelMs = CANCEL_MS } = options;
  const start = (): TesterProcess => new TesterProcess(python, args, options.onLog);

  let current = start();
  let closed = false;
  const ready = async (): Promise<Machine> => {
    if (closed) throw new KernelBotError("unavailable", "the tester is closed");
    if (current.failed) {
      const failed = current;
      await failed.gone;
      if (current === failed) current = start();
    }
    return current.ready;
  };

  let machine: Machine;
  try {
    machine = await ready();
  } catch (error) {
    await current.gone;
    throw error;
  }
  return {
    get machine() {
      return machine;
    },
    get pid() {
      return current.pid;
    },
    ready: async () => (machine = await ready()),
    async run(job, onEvent, signal) {
      machine = await ready();
      return current.run(job, { graceMs, cancelMs }, onEvent, signal);
    },
    rest: () => current.close(),
    async close() {
      closed = true;
      await current.close();
    },
  };
}
