/** The field's words as a page says them to a person. */
import { verdictWords, waitWords, type RunSummary, type Verdict } from "@kernelbot/core";
import { html, type Html } from "./html.ts";

/** How a run stands, and the tone in which a page says it. */
export interface Standing {
  tone: "waiting" | "good" | "bad" | "care";
  words: string;
  /** What this means, where the words alone do not tell. */
  meaning: string | null;
}

/** The state of a run, or its verdict once it has one. */
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
      const wait = run.expectedWaitMs === null ? null : `Expected wait: ${waitWords(run.expectedWaitMs)}.`;
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
  // A run that is done has a verdict; the type does not know.
  const ended = verdict ?? "failed";
  return { tone: TONES[ended], words: capital(verdictWords(ended, failureClass)), meaning: MEANINGS[ended] };
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

/** With a capital at its beginning. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A moment: `2026-03-01 14:05`, in UTC. The island `site` tells the reader's own time on pointing at it. */
export function moment(iso: string): Html {
  return html`<time class="nowrap" datetime="${iso}">${utc(iso)}</time>`;
}

/** A moment that people plan by: `2026-03-01 14:05 UTC`, and the island `site` puts the reader's own time after it. */
export function momentInBoth(iso: string): Html {
  return html`<time class="nowrap both" datetime="${iso}">${utc(iso)} UTC</time>`;
}

function utc(iso: string): string {
  const [day = "", time = ""] = iso.split("T");
  return `${day} ${time.slice(0, 5)}`;
}

/** A count with its noun: `1 entry`, `1,024 entries`. */
export function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;
}
