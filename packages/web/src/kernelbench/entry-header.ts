/** Head of an entry: its metadata, progress and actions. */
import { KERNEL_STATES, type KernelBenchEntry, type KernelBenchEntrySummary, type KernelState } from "@kernelbot/core";
import { button } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import { personLink } from "../profile/page.ts";
import { count, moment } from "../layout/format.ts";
import { entryPath } from "./paths.ts";
import type { EntryPage } from "./entry-page-data.ts";
import { isEvaluated } from "./format.ts";

export function head({ metadata, account, target, createdAt, publishedAt }: KernelBenchEntry): Html {
  return html`<h1>
      ${metadata.display_name} <span class="target">${target}</span>
      ${publishedAt === null ? html`<span class="badge care">draft</span>` : null}
    </h1>
    <p class="lead">
      ${metadata.organization === "" ? null : html`${metadata.organization} · `}${metadata.backend === undefined ? null : html`${metadata.backend} · `}by
      ${personLink(account)} · submitted
      ${moment(createdAt)}${publishedAt === null ? null : html` · published ${moment(publishedAt)}`}
    </p>
    ${metadata.notes === "" ? null : html`<p class="message">${metadata.notes}</p>`}`;
}

const STATE_LABELS: Readonly<Record<KernelState, string>> = {
  waiting: "waiting",
  queued: "queued",
  running: "running",
  done: "judged",
  lost: "lost",
};

/** Renders the number of kernels in each state, with a progress bar until all are judged. */
export function progress(entry: KernelBenchEntrySummary): Html {
  const { progress } = entry;
  const all = KERNEL_STATES.reduce((sum, state) => sum + progress[state], 0);
  if (all === 0) return html`<p class="empty">This entry has no kernel.</p>`;
  const states = KERNEL_STATES.filter((state) => progress[state] > 0);
  const counts = states.map((state) => `${progress[state].toLocaleString("en-US")} ${STATE_LABELS[state]}`).join(", ");
  return html`<div class="entry-progress" id="progress-of">
    ${
      isEvaluated(entry)
        ? null
        : html`<progress max="${all}" value="${progress.done + progress.lost}" aria-label="Kernels judged"></progress>`
    }
    <p>
      ${count(all, "kernel", "kernels")}:
      ${counts}.${isStopped(entry) ? " Stopped: waiting kernels are not queued." : null}
    </p>
    ${
      progress.lost === 0
        ? null
        : html`<p class="care">
            The platform failed to judge ${count(progress.lost, "kernel", "kernels")}. Resume the entry to judge
            ${progress.lost === 1 ? "it" : "them"} again.
          </p>`
    }
  </div>`;
}

function isStopped({ progress }: KernelBenchEntrySummary): boolean {
  return progress.waiting > 0 && progress.queued + progress.running === 0;
}

/** Renders the actions on an entry, as buttons that work without script. */
export function entryActions({ entry, acts }: EntryPage): Html {
  const path = entryPath(entry.id);
  return html`<div class="actions" id="actions">
    ${acts.stop ? html`<div id="stop">${button(`${path}/stop`, "Stop", {}, true)}</div>` : null}
    ${acts.resume ? html`<div id="resume">${button(`${path}/resume`, "Resume", {}, true)}</div>` : null}
    ${
      acts.publish
        ? html`<details class="menu" id="publish">
            <summary>Publish …</summary>
            <div class="panel">
              <p>This entry, its figures and its kernels become public. This cannot be undone.</p>
              ${button(`${path}/publish`, `Publish ${entry.metadata.display_name}`)}
            </div>
          </details>`
        : null
    }
    <a class="button quiet" id="file" href="/api/v1/kernelbench/entries/${entry.id}/file" download>Kernels</a>
    <a class="button quiet" id="results" href="/api/v1/kernelbench/entries/${entry.id}/results" download>Results</a>
  </div>`;
}
