/** Pool of worker threads for computations that would block the event loop. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { isErrorCode, KernelBotError } from "@kernelbot/core";
import { z } from "zod";
import { computationSeconds, computationsWaiting } from "../observe/metrics.ts";
import { threadTimeMs } from "./thread-time.ts";
import type { Task, TaskInput, TaskName, TaskOutput } from "./tasks.ts";

export interface PoolOptions {
  threads: number;
  /** Maximum number of queued computations. */
  queueLimit: number;
  /** Maximum processor time of a computation in milliseconds; a thread that exceeds it is terminated. */
  processorMs: number;
  /** Maximum heap of a thread, in MB. */
  heapMb: number;
  /** Time in milliseconds after which an idle thread ends, to free its memory: about 25 MB. The last one stays. */
  idleMs: number;
}

export interface Pool {
  /**
   * Runs a task in a thread. Input and output are copied (structured clone).
   * @throws KernelBotError `unavailable` with `retryAfterS` when the queue is full or the task exceeds its time or
   * memory; any error of the task.
   */
  run: <Name extends TaskName>(name: Name, input: TaskInput<Name>) => Promise<TaskOutput<Name>>;
  /** Starts the first thread, which takes half a second of processor time. */
  warmUp: () => void;
  /** Terminates the threads; unfinished computations are rejected. */
  close(): Promise<void>;
}

interface Job {
  name: TaskName;
  input: unknown;
  startedAt: number;
  resolve: (output: unknown) => void;
  reject: (error: Error) => void;
}

const Message = z.union([
  // Sent once, when the thread has loaded its modules.
  z.object({ threadId: z.int().nullable() }),
  z.object({ output: z.unknown() }),
  z.object({ error: z.object({ message: z.string(), code: z.string().nullable(), stack: z.string() }) }),
]);

/** `Retry-After` of rejected calls, in seconds. */
const RETRY_AFTER_S = 5;
/** `Retry-After` of a computation that exceeded its limit, and probably will again. */
const EXCEEDED_AFTER_S = 60;

interface Thread {
  worker: Worker;
  /** Returns the processor time of the thread in milliseconds; null until its modules are loaded. */
  timeMs: (() => number) | null;
  /** The running or next task; null when idle. */
  job: Job | null;
  /** Ends the thread when it is idle, or checks the processor time of its task. */
  timer?: NodeJS.Timeout;
}

export function createPool({ threads: size, queueLimit, processorMs, heapMb, idleMs }: PoolOptions): Pool {
  const queue: Job[] = [];
  const threads = new Set<Thread>();
  let isClosed = false;

  const busy = (): number => Array.from(threads).filter(({ job }) => job !== null).length;

  function startNext(): void {
    while (queue.length > 0 && busy() < size) {
      const thread = Array.from(threads).find(({ job }) => job === null) ?? startThread();
      assign(thread, queue.shift() as Job);
    }
    computationsWaiting.set(queue.length);
  }

  function assign(thread: Thread, job: Job): void {
    clearTimeout(thread.timer);
    thread.job = job;
    thread.worker.ref();
    if (thread.timeMs !== null) begin(thread, job, thread.timeMs);
  }

  /** Sends the task. Its limit counts from here, so that the start of the thread and waiting for a processor do not. */
  function begin(thread: Thread, { name, input }: Job, timeMs: () => number): void {
    const startedAt = timeMs();
    const check = (): void => {
      const leftMs = processorMs - (timeMs() - startedAt);
      if (leftMs > 0) thread.timer = setTimeout(check, leftMs);
      else end(thread, "timeout", exceeded(name));
    };
    thread.timer = setTimeout(check, processorMs);
    thread.worker.postMessage({ name, input } satisfies Task);
  }

  function exceeded(name: string): KernelBotError {
    const message = `the computation "${name}" needed more than ${processorMs / 1000} s of processor time and was stopped`;
    return new KernelBotError("unavailable", message, { retryAfterS: EXCEEDED_AFTER_S });
  }

  /** Settles the task of a thread and starts the next one; a thread that is not alive is terminated. */
  function end(thread: Thread, outcome: "ok" | "failed" | "timeout", result: unknown, isAlive = false): void {
    const { job, worker } = thread;
    clearTimeout(thread.timer);
    thread.job = null;
    if (isAlive) idle(thread);
    else if (threads.delete(thread)) {
      void worker.terminate();
      // The next task does not wait for the start of a thread. One that failed before is not started again and again.
      if (thread.timeMs !== null && !isClosed) warmUp();
    }
    if (job !== null) {
      computationSeconds.observe({ task: job.name, outcome }, (performance.now() - job.startedAt) / 1000);
      if (outcome === "ok") job.resolve(result);
      else job.reject(result as Error);
    }
    startNext();
  }

  function idle(thread: Thread): void {
    // An idle thread must not keep the process alive.
    thread.worker.unref();
    const endSurplus = (): void => {
      if (threads.size > 1 && threads.delete(thread)) void thread.worker.terminate();
    };
    thread.timer = setTimeout(endSurplus, idleMs).unref();
  }

  function startThread(): Thread {
    const worker = new Worker(new URL("./thread.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    const thread: Thread = { worker, timeMs: null, job: null };
    threads.add(thread);
    worker.on("message", (received) => {
      const message = Message.parse(received);
      if ("threadId" in message) {
        thread.timeMs = () => threadTimeMs(message.threadId);
        if (thread.job === null) idle(thread);
        else begin(thread, thread.job, thread.timeMs);
      } else if ("error" in message) end(thread, "failed", toError(message.error), true);
      else end(thread, "ok", message.output, true);
    });
    worker.on("error", (error: Error & { code?: string }) => {
      const isTooLarge = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      end(thread, "failed", isTooLarge ? unavailable(`the computation needs more memory than ${heapMb} MB`) : error);
    });
    worker.on("exit", () => end(thread, "failed", unavailable("the computation was stopped with its thread")));
    return thread;
  }

  function warmUp(): void {
    if (threads.size === 0) startThread().worker.unref();
  }

  return {
    run: (name, input) =>
      new Promise((resolve, reject) => {
        if (busy() >= size && queue.length >= queueLimit) {
          computationSeconds.observe({ task: name, outcome: "refused" }, 0);
          reject(unavailable(`the server already has ${queueLimit} queued computations`));
          return;
        }
        const settle = resolve as (output: unknown) => void;
        queue.push({ name, input, startedAt: performance.now(), resolve: settle, reject });
        startNext();
      }),
    warmUp,
    async close() {
      isClosed = true;
      for (const job of queue.splice(0)) job.reject(unavailable(`${job.name} was cancelled: the server is stopping`));
      await Promise.all(Array.from(threads, ({ worker }) => worker.terminate()));
    },
  };
}

function unavailable(why: string): KernelBotError {
  return new KernelBotError("unavailable", `${why}; try again in ${RETRY_AFTER_S} seconds`, {
    retryAfterS: RETRY_AFTER_S,
  });
}

function toError({ message, code, stack }: { message: string; code: string | null; stack: string }): Error {
  if (code !== null && isErrorCode(code)) return new KernelBotError(code, message);
  return new Error(message, { cause: stack });
}

/** The pool of this process, with at most four threads; one processor is left to the event loop. */
const pool = createPool({
  threads: Math.max(1, Math.min(4, availableParallelism() - 1)),
  queueLimit: 32,
  processorMs: 10_000,
  heapMb: 512,
  idleMs: 10_000,
});

/** Runs a task in the pool of this process (see `Pool.run`). */
export const compute: Pool["run"] = (name, input) => pool.run(name, input);

/** Starts the first thread, so that the first task does not wait for it. */
export const warmUpThreads = (): void => pool.warmUp();
