/** Many problems, some at a time. */
import type { CheckedProblem } from "@kernelbot/core";
import { openWorkshop, type CheckOptions, type Workshop } from "./workshop.ts";

export interface Workshops {
  /** As a workshop's own, when one of them is free: in the order of asking. */
  check(directory: string, options?: CheckOptions): Promise<CheckedProblem>;
  /** Once all that was asked for is done. */
  close(): Promise<void>;
}

/** One that could not be opened is a reason for all that it is asked. */
interface Place {
  workshop: Promise<Workshop>;
}

/** Up to so many workshops, each with a tester of its own, that are opened as they are needed. */
export function openWorkshops({
  target,
  jobs = 1,
  unsafeNoSandbox = false,
}: { target?: string; jobs?: number; unsafeNoSandbox?: boolean } = {}): Workshops {
  const opened: Place[] = [];
  const idle: Place[] = [];
  const waiting: ((place: Place) => void)[] = [];
  const taken = (): Place | Promise<Place> => {
    const found = idle.pop();
    if (found !== undefined) return found;
    if (opened.length === jobs) return new Promise((resolve) => void waiting.push(resolve));
    const place = { workshop: openWorkshop(target, unsafeNoSandbox) };
    opened.push(place);
    return place;
  };
  return {
    async check(directory, options) {
      const place = await taken();
      try {
        options?.signal?.throwIfAborted();
        const workshop = await place.workshop;
        return await workshop.check(directory, options);
      } finally {
        (waiting.shift() ?? ((free) => void idle.push(free)))(place);
      }
    },
    async close() {
      await Promise.all(
        opened.map(async (place) => {
          const workshop = await place.workshop.catch(() => undefined);
          await workshop?.close();
        }),
      );
    },
  };
}

export interface ManyOptions extends Omit<CheckOptions, "onStep"> {
  target?: string;
  /** How many at a time; 1 if not given. */
  jobs?: number;
  /** Runs the code of problems and kernels with all rights of this process. */
  unsafeNoSandbox?: boolean;
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
  { target, jobs, unsafeNoSandbox, onStep, ...options }: ManyOptions = {},
): Checks {
  const workshops = openWorkshops({
    ...(target !== undefined && { target }),
    ...(jobs !== undefined && { jobs }),
    ...(unsafeNoSandbox !== undefined && { unsafeNoSandbox }),
  });
  const checked = directories.map((directory) =>
    workshops.check(directory, { ...options, onStep: (step) => onStep?.(directory, step) }),
  );
  // Whoever waits for one is told; nobody may be waiting yet.
  for (const one of checked) one.catch(() => undefined);
  return { checked, ended: Promise.allSettled(checked).then(() => workshops.close()) };
}
