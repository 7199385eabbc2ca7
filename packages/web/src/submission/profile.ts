/** Profile of a run, for viewers of the whole submission: tables and timelines of its traces, as far as they are readable. */
import {
  formatCount,
  formatNs,
  formatShare,
  PROFILE_VIEWERS,
  profiledCase,
  profilerOf,
  type ProfiledOperation,
  type ProfileReport,
  type ProfileSummary,
  type ProfileTrace,
  type RunDetail,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { right, table } from "../layout/table.ts";
import type { SubmissionPage } from "./page-data.ts";
import { operationTone, timelineChart } from "./profile-timeline.ts";
import { isOver } from "./result.ts";

/** Renders the profile; null for other modes, for unfinished runs and for viewers who may not read the files. */
export function profileSection(run: RunDetail, { isWhole, profile }: SubmissionPage): Html | null {
  if (run.mode !== "profile" || !isWhole || profile === null || !isOver(run)) return null;
  const isOwn = ({ runId }: { runId: number }) => runId === run.id;
  const own = profile.traces.filter(isOwn);
  return html`<div class="trace-profile" id="profile-${run.id}">
    <h3>Where the time goes</h3>
    ${
      own.length === 0
        ? html`<p>This page shows no trace of this run; see its output and files.</p>`
        : html`<p>
            <small>Measured by the profiler inside the submission’s process, not verified by the judge.</small>
          </p>`
    }
    ${own.map((trace, index) => traceSection(trace, index === 0))} ${profile.reports.filter(isOwn).map(reportSection)}
    ${viewers(run)}
  </div>`;
}

function reportSection({ runId, name, text }: ProfileReport): Html {
  return html`<details id="profile-${runId}-${name}">
    <summary>${profilerOf(name)}: ${profiledCase(name)}</summary>
    <pre tabindex="0"><code>${text}</code></pre>
  </details>`;
}

/** Says how the files are opened that the page does not draw. */
function viewers({ artifacts }: RunDetail): Html[] {
  return PROFILE_VIEWERS.flatMap(({ ending, advice }) => {
    const files = artifacts.filter(({ name, deletedAt }) => name.endsWith(ending) && deletedAt === null);
    return files.length === 0
      ? []
      : [
          html`<p>
            <small>Each file <code>*${ending}</code> ${advice}.</small>
          </p>`,
        ];
  });
}

function traceSection({ runId, name, summary, problem }: ProfileTrace, isOpen: boolean): Html {
  const title = profiledCase(name);
  if (summary === null) {
    return html`<p>
      The trace of ${title} cannot be shown. ${problem}
      <a href="/api/v1/runs/${runId}/artifacts/${name}" download>Download the trace</a>
    </p>`;
  }
  return html`<details id="profile-${runId}-${name}" ${isOpen ? html`open` : null}>
    <summary>
      Profile of ${title}
      <small>${formatCount(summary.operations.length + summary.moreOperations, noun(summary))}</small>
    </summary>
    ${operationTable(summary, title)} ${timelineChart(summary, title)}
  </details>`;
}

function noun({ processor }: ProfileSummary): string {
  return processor === "device" ? "kernel" : "operation";
}

function operationTable(summary: ProfileSummary, title: string): Html {
  const { processor, operations, moreOperations } = summary;
  const hasSelf = operations.some(({ selfUs }) => selfUs !== null);
  return html`${table({
    label: `Profile of ${title}`,
    className: "operation-table",
    columns: [
      processor === "device" ? "Kernel" : "Operation",
      right("Share"),
      ...(hasSelf ? [right("Self")] : []),
      right("Total"),
      right("Mean"),
      right("Calls"),
    ],
    rows: operations.map((operation, rank) => operationRow(operation, rank)),
  })}
  ${moreOperations === 0 ? null : html`<p>and ${moreOperations.toLocaleString("en-US")} more</p>`}
  ${
    hasSelf
      ? html`<p>
          <small
            >Self is the time in an operation without the operations that it calls. Shares are of the self times.</small
          >
        </p>`
      : null
  }`;
}

function operationRow({ name, calls, totalUs, selfUs, share }: ProfiledOperation, rank: number): Html {
  return html`<tr>
    <th scope="row"><span class="swatch ${operationTone(rank)}" aria-hidden="true"></span><code>${name}</code></th>
    <td class="right number">${formatShare(share)}</td>
    ${selfUs === null ? null : html`<td class="right number">${formatNs(1000 * selfUs)}</td>`}
    <td class="right number">${formatNs(1000 * totalUs)}</td>
    <td class="right number">${formatNs((1000 * totalUs) / calls)}</td>
    <td class="right number">${calls.toLocaleString("en-US")}</td>
  </tr>`;
}
