/** Pool of worker threads for computations that would block the event loop. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { isErrorCode, KernelBotError } from "@kernelbot/core";
import { z } from "zod";
import { computationSeconds, computationsWaiting } from "../observe/metrics.ts";
import type { Task, TaskInput, TaskName, TaskOutput } from "./tasks.ts";

export interface PoolOptions {
  threads: number;
  /** Maximum number of queued computations. */
  queueLimit: number;
  /** Timeout of a computation in milliseconds, after which its thread is terminated. */
  timeLimitMs: number;
  /** Maximum heap of a thread, in MB. */
  heapMb: number;
  /** Time in milliseconds after which an idle thread ends, to free its memory: about 25 MB. */
  idleMs: number;
}

export interface Pool {
  /**
   * Runs a task in a thread. Input and output are copied (structured clone).
   * @throws KernelBotError `unavailable` with `retryAfterS` when the queue is full or the task exceeds its time or
   * memory; any error of the task.
   */
  run: <Name extends TaskName>(name: Name, input: TaskInput<Name>) => Promise<TaskOutput<Name>>;
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

const Reply = z.union([
  z.object({ output: z.unknown() }),
  z.object({ error: z.object({ message: z.string(), code: z.string().nullable(), stack: z.string() }) }),
]);

/** `Retry-After` of rejected calls, in seconds. */
const RETRY_AFTER_S = 5;

export function createPool({ threads, queueLimit, timeLimitMs, heapMb, idleMs }: PoolOptions): Pool {
  const queue: Job[] = [];
  const idle: Worker[] = [];
  const idleTimers = new WeakMap<Worker, NodeJS.Timeout>();
  const busy = new Map<Worker, Job & { timer: NodeJS.Timeout }>();

  function startNext(): void {
    while (queue.length > 0 && busy.size < threads) start(queue.shift() as Job, idle.pop() ?? newWorker());
    computationsWaiting.set(queue.length);
  }

  function start(job: Job, worker: Worker): void {
    clearTimeout(idleTimers.get(worker));
    worker.ref();
    const timer = setTimeout(() => {
      end(worker, "timeout", unavailable(`${job.name} took longer than ${timeLimitMs / 1000} s and was stopped`));
    }, timeLimitMs);
    busy.set(worker, { ...job, timer });
    worker.postMessage({ name: job.name, input: job.input } satisfies Task);
  }

  /** Settles the job of a worker and starts the next one; a worker that is not alive is terminated. */
  function end(worker: Worker, outcome: "ok" | "failed" | "timeout", result: unknown, isAlive = false): void {
    const job = busy.get(worker);
    if (job === undefined) return;
    busy.delete(worker);
    clearTimeout(job.timer);
    computationSeconds.observe({ task: job.name, outcome }, (performance.now() - job.startedAt) / 1000);
    if (isAlive) {
      // An idle thread must not keep the process alive.
      worker.unref();
      idle.push(worker);
      idleTimers.set(worker, setTimeout(() => endIdle(worker), idleMs).unref());
    } else void worker.terminate();
    if (outcome === "ok") job.resolve(result);
    else job.reject(result as Error);
    startNext();
  }

  function endIdle(worker: Worker): void {
    idle.splice(idle.indexOf(worker), 1);
    void worker.terminate();
  }

  function newWorker(): Worker {
    const worker = new Worker(new URL("./thread.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    worker.on("message", (message) => {
      const reply = Reply.parse(message);
      if ("error" in reply) end(worker, "failed", toError(reply.error), true);
      else end(worker, "ok", reply.output, true);
    });
    worker.on("error", (error: Error & { code?: string }) => {
      const isTooLarge = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      end(worker, "failed", isTooLarge ? unavailable(`the computation needs more memory than ${heapMb} MB`) : error);
    });
    worker.on("exit", () => {
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
      end(worker, "failed", unavailable("the computation was stopped with its thread"));
    });
    return worker;
  }

  return {
    run: (name, input) =>
      new Promise((resolve, reject) => {
        if (busy.size >= threads && queue.length >= queueLimit) {
          computationSeconds.observe({ task: name, outcome: "refused" }, 0);
          reject(unavailable(`the server already has ${queueLimit} queued computations`));
          return;
        }
        const settle = resolve as (output: unknown) => void;
        queue.push({ name, input, startedAt: performance.now(), resolve: settle, reject });
        startNext();
      }),
    async close() {
      for (const job of queue.splice(0)) job.reject(unavailable(`${job.name} was cancelled: the server is stopping`));
      await Promise.all([...idle.splice(0), ...busy.keys()].map((worker) => worker.terminate()));
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
  timeLimitMs: 10_000,
  heapMb: 512,
  idleMs: 10_000,
});

/** Runs a task in the pool of this process (see `Pool.run`). */
export const compute: Pool["run"] = (name, input) => pool.run(name, input);
