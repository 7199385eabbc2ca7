/** Concurrent checks of many problems. */
import type { CheckedProblem } from "@kernelbot/core";
import { openProblemChecker, type CheckOptions, type ProblemChecker } from "./checker.ts";

interface ProblemCheckers {
  /** Checks a problem like `ProblemChecker.check`, as soon as a checker is free, in order of the calls. */
  check(directory: string, options?: CheckOptions): Promise<CheckedProblem>;
  /** Closes the checkers after all requested checks. */
  close(): Promise<void>;
}

/** Slot of a checker. A checker that failed to open fails every check assigned to it. */
interface Slot {
  checker: Promise<ProblemChecker>;
}

/** Opens up to `jobs` checkers on demand, each with its own tester. */
function openProblemCheckers({
  target,
  jobs = 1,
  unsafeNoSandbox = false,
}: { target?: string; jobs?: number; unsafeNoSandbox?: boolean } = {}): ProblemCheckers {
  const slots: Slot[] = [];
  const idle: Slot[] = [];
  const waiters: ((slot: Slot) => void)[] = [];
  const acquireSlot = (): Slot | Promise<Slot> => {
    const free = idle.pop();
    if (free !== undefined) return free;
    if (slots.length === jobs) return new Promise((resolve) => void waiters.push(resolve));
    const slot = { checker: openProblemChecker(target, unsafeNoSandbox) };
    slots.push(slot);
    return slot;
  };
  return {
    async check(directory, options) {
      const slot = await acquireSlot();
      try {
        options?.signal?.throwIfAborted();
        const checker = await slot.checker;
        return await checker.check(directory, options);
      } finally {
        (waiters.shift() ?? ((free) => void idle.push(free)))(slot);
      }
    },
    async close() {
      await Promise.all(
        slots.map(async (slot) => {
          const checker = await slot.checker.catch(() => undefined);
          await checker?.close();
        }),
      );
    },
  };
}

export interface ManyOptions extends Omit<CheckOptions, "onStep"> {
  target?: string;
  /** Number of concurrent checks; 1 by default. */
  jobs?: number;
  /** Runs the code of problems and kernels with the rights of this process. */
  unsafeNoSandbox?: boolean;
  /** Called before each step of a check. */
  onStep?: (directory: string, step: string) => void;
}

export interface Checks {
  /** Results, in the order of the directories. */
  checked: Promise<CheckedProblem>[];
  /** Resolves when all checks have ended and the checkers are closed. */
  ended: Promise<void>;
}

/** Starts the checks of all directories, in order. */
export function checkProblems(
  directories: readonly string[],
  { target, jobs, unsafeNoSandbox, onStep, ...options }: ManyOptions = {},
): Checks {
  const checkers = openProblemCheckers({
    ...(target !== undefined && { target }),
    ...(jobs !== undefined && { jobs }),
    ...(unsafeNoSandbox !== undefined && { unsafeNoSandbox }),
  });
  const checked = directories.map((directory) =>
    checkers.check(directory, { ...options, onStep: (step) => onStep?.(directory, step) }),
  );
  // Awaiting a check reports its rejection; it may occur before anything awaits it.
  for (const one of checked) one.catch(() => undefined);
  return { checked, ended: Promise.allSettled(checked).then(() => checkers.close()) };
}
