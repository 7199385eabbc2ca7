/** The same facts in the same words, wherever they are shown. */
import { verdictWords, type FailureClass, type RunState, type Verdict } from "@kernelbot/core";
import type { Style } from "../style.ts";

/** The parts of a run that say how it stands. */
export interface Standing {
  state: RunState;
  verdict: Verdict | null;
  failureClass: FailureClass | null;
}

/** How a run stands: `queued`, `passed`, `failed: wrong result`. */
export function standing(run: Standing, style: Style): string {
  if (run.state === "cancelled") return style.yellow("cancelled");
  if (run.verdict === null) return run.state;
  return style[TONES[run.verdict]](verdictWords(run.verdict, run.failureClass));
}

const TONES = { passed: "green", failed: "red", quarantined: "yellow", infra_error: "yellow" } as const;

/** ✓ for what passed, ✗ for what did not, · for what has not happened. */
export function tick(passed: boolean | null, style: Style): string {
  return passed === null ? style.dim("·") : passed ? style.green("✓") : style.red("✗");
}

/** A length of waiting, in whole seconds: `0 s`, `59 s`, `2 min 05 s`. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

/** A moment in the reader's time zone: `2026-03-01 14:05`. */
export function moment(iso: string): string {
  const date = new Date(iso);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A moment where there is little room: its hour on the same day, else its day. */
export function shortMoment(iso: string, now: Date): string {
  const [day = "", hour = ""] = moment(iso).split(" ");
  return moment(now.toISOString()).startsWith(day) ? hour : day;
}

/** The marks that stand beside a score. */
export function marks({ unsandboxed, legacyHarness, imported = false }: Marked): string[] {
  return [
    ...(unsandboxed ? ["no sandbox"] : []),
    ...(legacyHarness ? ["legacy harness"] : []),
    ...(imported ? ["imported"] : []),
  ];
}

interface Marked {
  unsandboxed: boolean;
  legacyHarness: boolean;
  imported?: boolean;
}
