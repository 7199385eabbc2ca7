/** Many problems, some at a time. */
import type { CheckedProblem } from "@kernelbot/core";
import { openWorkshop, type CheckOptions } from "./workshop.ts";

export interface ManyOptions extends Omit<CheckOptions, "onStep"> {
  target?: string;
  /** How many at a time, each with a tester of its own; 1 if not given. */
  jobs?: number;
  /** Is told what is done next with which problem. */
  onStep?: (directory: string, step: string) => void;
}

export interface Checks {
  /** Of each directory in order. */
  checked: Promise<CheckedProblem>[];
  /** Resolves when nothing of it runs any more. */
  ended: Promise<void>;
}

/** Begins to check all of these directories, in order. */
export function checkProblems(
  directories: readonly string[],
  { target, jobs = 1, onStep, ...options }: ManyOptions = {},
): Checks {
  const waiting = directories.map((directory) => ({ directory, ...Promise.withResolvers<CheckedProblem>() }));
  const checked = waiting.map(({ promise }) => promise);
  // Whoever waits for one is told; nobody may be waiting yet.
  for (const one of checked) one.catch(() => undefined);
  const work = async (): Promise<void> => {
    let next = waiting.shift();
    if (next === undefined) return;
    try {
      const workshop = await openWorkshop(target);
      try {
        for (; next !== undefined; next = waiting.shift()) {
          options.signal?.throwIfAborted();
          const { directory, resolve } = next;
          resolve(await workshop.check(directory, { ...options, onStep: (step) => onStep?.(directory, step) }));
        }
      } finally {
        await workshop.close();
      }
    } catch (reason) {
      for (const { reject } of [next, ...waiting.splice(0)].flatMap((one) => one ?? [])) reject(reason);
    }
  };
  const workers = Array.from({ length: jobs }, work);
  return { checked, ended: Promise.all(workers).then(() => undefined) };
}
