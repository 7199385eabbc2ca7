/** Judging by the tester of this machine, with progress shown and without a server. */
import {
  deviceOf,
  machineName,
  problemVersion,
  sortedTargets,
  type Job,
  type JudgeEvent,
  type Problem,
} from "@kernelbot/core";
import { openDisplay } from "../render/display.ts";
import { UsageError } from "../command/exit.ts";
import { untilInterrupted } from "../command/interrupt.ts";
import { toSubmissionEvent, localRun, type LocalJob, type LocalRun } from "./local-run.ts";
import { advance, startLocalProgress } from "../progress/progress.ts";
import { sanitize, listed } from "../output/text.ts";

export interface LocalOptions {
  unsafeNoSandbox: boolean;
  /** Whether standard output is reserved for a JSON document. */
  json: boolean;
  /** Whether a kernel for a device that this machine lacks is rehearsed on the CPU. */
  rehearse?: boolean;
}

/** Judges a local job. Compiled extensions are cached for this user. */
export async function judgeLocally(
  job: Omit<Job, "type" | "id" | "account"> & Pick<LocalJob, "mode">,
  { unsafeNoSandbox, json, rehearse = false }: LocalOptions,
): Promise<LocalRun> {
  const { startTester } = await import("@kernelbot/tester");
  const { mode, target, problem } = job;
  return untilInterrupted("Interrupted; no process is left running.", async (signal) => {
    const tester = await startTester({ unsafeNoSandbox, accelerator: deviceOf(target) === "accelerator", rehearse });
    try {
      const version = await problemVersion(problem);
      const { machine } = tester;
      const local = { mode, target, problem, problemVersion: version, machine, startedAt: new Date().toISOString() };
      const isRehearsal = rehearse && deviceOf(target) === "accelerator" && machine.accelerators.length === 0;
      const judge = (onEvent: (event: JudgeEvent) => void) =>
        tester.run({ type: "run", id: "local", account: "local", ...job }, onEvent, signal);
      return await judgeWithProgress(local, isRehearsal ? { mode: "test", target: "cpu" } : local, judge, json);
    } finally {
      await tester.close();
    }
  });
}

/** Checks that the problem has the target. @throws UsageError that lists the problem's targets. */
export function checkTarget({ spec }: Problem, target: string): void {
  if (Object.hasOwn(spec.targets, target)) return;
  throw new UsageError(`${spec.name} has no target ${JSON.stringify(target)}; it has ${listed(sortedTargets(spec))}`);
}

/**
 * Judges with progress shown. `shown` has the displayed mode and target, which differ from the job's in a rehearsal.
 */
async function judgeWithProgress(
  job: LocalJob,
  shown: Pick<LocalJob, "mode" | "target">,
  judge: (onEvent: (event: JudgeEvent) => void) => Promise<unknown>,
  json: boolean,
): Promise<LocalRun> {
  const display = openDisplay(json);
  const { problem, machine } = job;
  let progress = startLocalProgress(problem.spec.name, shown.mode, shown.target, machineName(machine), Date.now());
  const events: JudgeEvent[] = [];
  display.show(progress);
  try {
    await judge((judged) => {
      events.push(judged);
      const event = { runId: null, at: new Date().toISOString(), event: sanitize(toSubmissionEvent(judged)) };
      progress = advance(progress, event);
      display.show(progress, event);
    });
    display.end("ended");
  } catch (error) {
    display.end("stopped");
    throw error;
  }
  return localRun(job, events, new Date().toISOString());
}
