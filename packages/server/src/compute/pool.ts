/** A pool of worker threads for computations that would keep the event loop from all other requests. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { isErrorCode, KernelBotError } from "@kernelbot/core";
import { z } from "zod";
import { computationSeconds, computationsWaiting } from "../observe/metrics.ts";
import type { Task, TaskInput, TaskName, TaskOutput } from "./tasks.ts";

export interface PoolOptions {
  threads: number;
  /** Computations that may wait for a thread. */
  queueLimit: number;
  /** Milliseconds after which the thread of a computation is terminated. */
  timeLimitMs: number;
  /** Memory of a thread's JavaScript heap. */
  heapMb: number;
}

export interface Pool {
  /**
   * Runs a task in a thread. Its input and output are copied (structured clone).
   * @throws KernelBotError `unavailable` where the queue is full or the task exceeds its time or memory, with the time
   * after which to try again; and what the task itself throws.
   */
  run: <Name extends TaskName>(name: Name, input: TaskInput<Name>) => Promise<TaskOutput<Name>>;
  /** Terminates the threads; what has not ended is refused. */
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

/** Seconds after which a refused caller may try again. */
const RETRY_AFTER_S = 5;

export function createPool({ threads, queueLimit, timeLimitMs, heapMb }: PoolOptions): Pool {
  const queue: Job[] = [];
  const idle: Worker[] = [];
  const busy = new Map<Worker, Job & { timer: NodeJS.Timeout }>();

  function startNext(): void {
    while (queue.length > 0 && busy.size < threads) start(queue.shift() as Job, idle.pop() ?? newWorker());
    computationsWaiting.set(queue.length);
  }

  function start(job: Job, worker: Worker): void {
    worker.ref();
    const timer = setTimeout(() => {
      end(worker, "timeout", unavailable(`${job.name} took longer than ${timeLimitMs / 1000} s and was stopped`));
    }, timeLimitMs);
    busy.set(worker, { ...job, timer });
    worker.postMessage({ name: job.name, input: job.input } satisfies Task);
  }

  /** Answers the job of a worker, and gives the worker another one; one that failed is terminated. */
  function end(worker: Worker, outcome: "ok" | "failed" | "timeout", result: unknown, isAlive = false): void {
    const job = busy.get(worker);
    if (job === undefined) return;
    busy.delete(worker);
    clearTimeout(job.timer);
    computationSeconds.observe({ task: job.name, outcome }, (performance.now() - job.startedAt) / 1000);
    if (isAlive) {
      // An idle thread keeps no process alive.
      worker.unref();
      idle.push(worker);
    } else void worker.terminate();
    if (outcome === "ok") job.resolve(result);
    else job.reject(result as Error);
    startNext();
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
          reject(unavailable(`the server has ${queueLimit} computations waiting already`));
          return;
        }
        const settle = resolve as (output: unknown) => void;
        queue.push({ name, input, startedAt: performance.now(), resolve: settle, reject });
        startNext();
      }),
    async close() {
      for (const job of queue.splice(0)) job.reject(unavailable(`${job.name} was stopped: the server stops`));
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

/** The pool of this process: one thread less than it has processors, so that the event loop keeps one. */
const pool = createPool({
  threads: Math.max(1, Math.min(4, availableParallelism() - 1)),
  queueLimit: 32,
  timeLimitMs: 10_000,
  heapMb: 512,
});

/** Runs a task in the pool of this process (see `Pool.run`). */
export const compute: Pool["run"] = (name, input) => pool.run(name, input);
