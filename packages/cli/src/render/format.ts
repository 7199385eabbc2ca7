/** Common wording of facts that appear in several outputs. */
import { formatVerdict, type FailureClass, type RunState, type Verdict } from "@kernelbot/core";
import type { Style } from "../output/style.ts";

export { formatElapsed as elapsed } from "@kernelbot/core";
export { tick } from "@kernelbot/core/terminal";

/** Properties of a run that determine its status. */
export interface RunOutcome {
  state: RunState;
  verdict: Verdict | null;
  failureClass: FailureClass | null;
}

/** Formats the status of a run: `queued`, `passed`, `failed: wrong result`. */
export function runStatus(run: RunOutcome, style: Style): string {
  if (run.state === "cancelled") return style.yellow("cancelled");
  if (run.verdict === null) return run.state;
  return style[TONES[run.verdict]](formatVerdict(run.verdict, run.failureClass));
}

const TONES = { passed: "green", failed: "red", quarantined: "yellow", infra_error: "yellow" } as const;

/** Formats a time in the local time zone: `2026-03-01 14:05`. */
export function moment(iso: string): string {
  const date = new Date(iso);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Formats a time briefly: the time of day if it is today, else the date. */
export function shortMoment(iso: string, now: Date): string {
  const [day = "", hour = ""] = moment(iso).split(" ");
  return moment(now.toISOString()).startsWith(day) ? hour : day;
}

/** Formats when a command gives up, in the local time zone: `gives up at 14:20 unless a runner connects`. */
export function formatGivesUp(atMs: number): string {
  const [, time = ""] = moment(new Date(atMs).toISOString()).split(" ");
  return `gives up at ${time} unless a runner connects`;
}
