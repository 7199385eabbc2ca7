/** Labels of run states, and formats of times and counts. */
import { formatVerdict, type RunSummary, type Verdict } from "@kernelbot/core";
import { html, type Html } from "../html.ts";

/** Label of a run's status, and the tone in which a page shows it. */
export interface RunStatus {
  tone: "waiting" | "good" | "bad" | "care";
  label: string;
}

/** Returns the state of a run, or its verdict once it is done. */
export function runStatus(run: Pick<RunSummary, "state" | "verdict" | "failureClass">): RunStatus {
  switch (run.state) {
    case "queued":
      return { tone: "waiting", label: "Queued" };
    case "running":
      return { tone: "waiting", label: "Running" };
    case "cancelled":
      return { tone: "care", label: "Cancelled" };
    case "done":
      return verdictStatus(run);
  }
}

function verdictStatus({ verdict, failureClass }: Pick<RunSummary, "verdict" | "failureClass">): RunStatus {
  // Finished runs always have a verdict, although the type permits null.
  const ended = verdict ?? "failed";
  return { tone: TONES[ended], label: capital(formatVerdict(ended, failureClass)) };
}

const TONES: Record<Verdict, RunStatus["tone"]> = {
  passed: "good",
  failed: "bad",
  quarantined: "care",
  infra_error: "care",
};

/** Returns a text with its first letter in upper case. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Renders a time in UTC: `2026-03-01 14:05`. The island `site` shows the reader's local time as a tooltip. */
export function moment(iso: string): Html {
  return html`<time class="nowrap" datetime="${iso}">${utc(iso)}</time>`;
}

/**
 * Renders a time that readers plan by, such as a deadline: `2026-03-01 14:05 UTC`. The island `site` appends the reader's
 * local time.
 */
export function momentInBoth(iso: string): Html {
  return html`<time class="nowrap both" datetime="${iso}">${utc(iso)} UTC</time>`;
}

function utc(iso: string): string {
  const [day = "", time = ""] = iso.split("T");
  return `${day} ${time.slice(0, 5)}`;
}

/** Formats a count with its noun: `1 entry`, `1,024 entries`. */
export function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;
}

const UNITS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** Formats a waiting time in its two largest units: `under 1 s`, `2 min 5 s`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 1000) return "under 1 s";
  const seconds = Math.max(0, Math.round(ms / 1000));
  const first = UNITS.findIndex(([size]) => seconds >= size);
  if (first === -1) return "0 s";
  let left = seconds;
  return UNITS.slice(first, first + 2)
    .map(([size, unit]) => {
      const number = Math.floor(left / size);
      left -= number * size;
      return number === 0 ? "" : `${number} ${unit}`;
    })
    .filter((part) => part !== "")
    .join(" ");
}
