import { formatCaseFailure, caseLine, FLAG_CHECK_LABELS, formatBytes, formatNs, type LogEvent } from "@kernelbot/core";
import type { Progress } from "../progress/progress.ts";
import { PLAIN } from "../output/style.ts";
import { formatCount, oneLine } from "../output/text.ts";
import { stateWords } from "./progress.ts";
import { runStatus } from "./format.ts";

/**
 * Formats an event as one line for logs and pipes; null for an event that is not printed. `progress` is the state after
 * the event.
 */
export function eventLine(
  progress: Progress,
  { runId, event, at }: Pick<LogEvent, "runId" | "event" | "at">,
): string | null {
  const run = progress.runs.find((run) => run.runId === runId);
  if (run === undefined) return null;
  const line = (what: string) => `${run.target}: ${oneLine(what)}`;
  switch (event.type) {
    case "run_queued":
      return line(event.reason === null ? "queued" : `requeued: ${event.reason}`);
    case "run_started":
      return line(stateWords(run, Date.parse(at), PLAIN));
    case "stage_started":
      return event.cases === 0 ? line(event.stage) : line(`${event.stage}, ${formatCount(event.cases, "case")}`);
    case "case_finished":
      if (event.status !== "failed") return null;
      return line(
        `${event.stage} case ${event.index + 1} (${caseLine(event.case)}) failed: ${formatCaseFailure(event)}`,
      );
    case "stage_finished":
      return line(`${event.stage} ${event.passed ? "passed" : "failed"} in ${formatNs(event.durationNs)}`);
    case "artifact":
      return line(`${event.name}, ${formatBytes(event.sizeBytes)}`);
    case "run_flagged":
      return line(`quarantined by ${FLAG_CHECK_LABELS[event.check]}: ${event.message}`);
    case "run_decided":
      return line(`${runStatus(run, PLAIN)}, decided by a moderator: ${event.reason}`);
    case "run_finished":
    case "run_cancelled":
      return line(runStatus(run, PLAIN));
    case "progress":
    case "review":
    case "output":
    case "submission_accepted":
    case "submission_finished":
    case "submission_removed":
    case "submission_restored":
      return null;
  }
}
