import type { Job, JudgeEvent, Machine, VerdictReached } from "@kernelbot/core";
import { KernelBotError } from "@kernelbot/core";
import { TesterProcess } from "./process.ts";
import { findPython } from "./python.ts";

/**
 * How long a run may outlast the limits of its stages before the tester counts as hung. The tester itself gives a judge
 * five minutes beyond them; only when it does not keep to that is it killed.
 */
const GRACE_MS = 360_000;

export interface TesterOptions {
  /** The interpreter; found when not given. */
  python?: string;
  /** Judge without the sandbox, where it cannot be set up. Every result is then marked. */
  unsafeNoSandbox?: boolean;
  /** Judge problems of accelerators too, and refuse a machine that has none. */
  accelerator?: boolean;
  /** With `accelerator`: on a machine that has none, try kernels on the processor, and judge none. Never for a server. */
  rehearse?: boolean;
  /** How long a run may outlast the sum of its stages' limits before the tester is killed; six minutes by default. */
  graceMs?: number;
  /** Gets what the tester writes on its standard error, as it comes: tracebacks of judges, what problems print. */
  onLog?: (text: string) => void;
}

/** A tester for one job after another. A process that failed, or was laid to rest, is replaced when work comes. */
export interface Tester {
  /** The machine, as the tester described it when it last started. */
  readonly machine: Machine;
  /** The process that serves at present; for those who watch its memory. */
  readonly pid: number | undefined;
  /**
   * Resolves when a working tester is there, after starting another one if need be.
   * @throws TesterFailure when it cannot be started or refuses this machine.
   */
  ready(): Promise<Machine>;
  /**
   * Judges one job at a time. `onEvent` gets every event in order, the verdict last.
   * @throws TesterFailure when the tester fails: an infrastructure error, never the kernel's fault.
   * @throws the signal's reason when it is aborted; the run has ended by then, and no event follows the abort.
   */
  run(job: Job, onEvent: (event: JudgeEvent) => void, signal?: AbortSignal): Promise<VerdictReached>;
  /** Gives its memory back: ends the process until the next work, which waits some seconds for another one. */
  rest(): Promise<void>;
  /** Ends it for good and waits until no process of it is left. */
  close(): Promise<void>;
}

/**
 * Starts the tester and waits until it is ready.
 * @throws KernelBotError `unavailable` when there is no Python for it, or it refuses this machine: the message says why.
 */
export async function startTester(options: TesterOptions = {}): Promise<Tester> {
  const python = options.python ?? (await findPython()).path;
  const args = [
    ...(options.unsafeNoSandbox === true ? ["--unsafe-no-sandbox"] : []),
    ...(options.accelerator === true ? ["--accelerator"] : []),
    ...(options.rehearse === true ? ["--rehearse"] : []),
  ];
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
      return current.run(job, options.graceMs ?? GRACE_MS, onEvent, signal);
    },
    rest: () => current.close(),
    async close() {
      closed = true;
      await current.close();
    },
  };
}
