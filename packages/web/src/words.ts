/** The field's words as a page says them to a person. */
import type { FailureClass, RunSummary } from "@kernelbot/core";
import { html, type Html } from "./html.ts";

const FAILURES: Record<FailureClass, string> = {
  compile_error: "it does not compile",
  crash: "it crashed",
  wrong_result: "wrong result",
  timeout: "it took too long",
  out_of_memory: "it ran out of memory",
  rejected: "it broke a rule",
};

/** How a run stands, and the tone in which a page says it. */
export interface Standing {
  tone: "waiting" | "good" | "bad" | "care";
  words: string;
  /** What this means, where the words alone do not tell. */
  meaning: string | null;
}

/** The state of a run, or its verdict once it has one. */
export function standing(run: Pick<RunSummary, "state" | "verdict" | "failureClass" | "queuePosition">): Standing {
  switch (run.state) {
    case "queued": {
      const place =
        run.queuePosition === null
          ? null
          : run.queuePosition === 1
            ? "It is next."
            : `It is number ${run.queuePosition} in the queue.`;
      return { tone: "waiting", words: "Queued", meaning: place };
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
  switch (verdict) {
    case "passed":
      return { tone: "good", words: "Passed", meaning: null };
    case "quarantined":
      return {
        tone: "care",
        words: "Quarantined",
        meaning: "A moderator looks at it before it can be ranked.",
      };
    case "infra_error":
      return {
        tone: "care",
        words: "Not judged",
        meaning: "The platform failed, not the kernel. It counts against nothing; submit it again.",
      };
    case "failed":
    case null:
      return {
        tone: "bad",
        words: failureClass === null ? "Failed" : `Failed: ${FAILURES[failureClass]}`,
        meaning: null,
      };
  }
}

/** A moment: `2026-03-01 14:05`, in UTC. */
export function moment(iso: string): Html {
  const [day = "", time = ""] = iso.split("T");
  return html`<time class="nowrap" datetime="${iso}">${day} ${time.slice(0, 5)}</time>`;
}

/** A count with its noun: `1 entry`, `1,024 entries`. */
export function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;
}
