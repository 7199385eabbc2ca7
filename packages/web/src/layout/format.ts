/** Labels of run states, and formats of times and counts. */
import { formatVerdict, formatWait, type RunSummary, type Verdict } from "@kernelbot/core";
import { html, type Html } from "../html.ts";

/** Status of a run in words, and the tone in which a page shows it. */
export interface Standing {
  tone: "waiting" | "good" | "bad" | "care";
  words: string;
  /** Explanation of the status; null if the label suffices. */
  meaning: string | null;
}

/** Returns the state of a run, or its verdict once it is done. */
export function standing(
  run: Pick<RunSummary, "state" | "verdict" | "failureClass" | "queuePosition" | "expectedWaitMs">,
): Standing {
  switch (run.state) {
    case "queued": {
      const place =
        run.queuePosition === null
          ? null
          : run.queuePosition === 1
            ? "It is next."
            : `It is number ${run.queuePosition} in the queue.`;
      const wait = run.expectedWaitMs === null ? null : `Expected wait: ${formatWait(run.expectedWaitMs)}.`;
      return {
        tone: "waiting",
        words: "Queued",
        meaning: place === null ? wait : [place, wait ?? []].flat().join(" "),
      };
    }
    case "running":
      return { tone: "waiting", words: "Running", meaning: null };
    case "cancelled":
      return { tone: "care", words: "Cancelled", meaning: null };
    case "done":
      return verdictStanding(run);
  }
}

function verdictStanding({ verdict, failureClass }: Pick<RunSummary, "verdict" | "failureClass">): Standing {
  // Finished runs always have a verdict, although the type permits null.
  const ended = verdict ?? "failed";
  return { tone: TONES[ended], words: capital(formatVerdict(ended, failureClass)), meaning: MEANINGS[ended] };
}

const TONES: Record<Verdict, Standing["tone"]> = {
  passed: "good",
  failed: "bad",
  quarantined: "care",
  infra_error: "care",
};

const MEANINGS: Record<Verdict, string | null> = {
  passed: null,
  failed: null,
  quarantined: "A moderator looks at it before it can be ranked.",
  infra_error: "The platform or the problem failed, not the kernel. It counts against nothing.",
};

/** Returns a text with its first letter in upper case. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Renders a time in UTC: `2026-03-01 14:05`. The island `site` shows the reader's local time as a tooltip. */
export function moment(iso: string): Html {
  return html`<time class="nowrap" datetime="${iso}">${utc(iso)}</time>`;
}

/**
 * Renders a time that readers plan by: `2026-03-01 14:05 UTC`, after which the island `site` adds the reader's local
 * time.
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
