/** Part of a run's section: whether the kernel works in the problem's application, case by case. */
import { caseLine, formatInUse, inUseSummary, oneLine, type InUse, type RunDetail } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { moment } from "../layout/format.ts";
import { table } from "../layout/table.ts";
import { speedup, UNSANDBOXED } from "../results/timing.ts";

const MEANINGS: Readonly<Record<InUse["cases"][number]["verdict"], string>> = {
  holds: "holds",
  inaccurate: "inaccurate: an output is outside the tolerance",
  unstable: "unstable: an output is not finite where the reference's is",
  drifts: "drifts: every call is correct, and the end result is not",
  crashed: "crashed",
  timed_out: "timed out",
  not_run: "not run: an earlier case ended the stage",
};

/** Renders the result of the application for the source of a run; null if there is none. */
export function inUse({ id, rerun, inUse: result }: RunDetail): Html | null {
  // A re-run has the source of the first run.
  if (result === null || rerun > 0) return null;
  const { state, reason, cases, speedup: overall, checkedAt, unsandboxed } = result;
  const name = `in-use-${id}`;
  return html`<section class="in-use" aria-labelledby="${name}">
    <h3 id="${name}">In use</h3>
    <p>
      <strong class="${state === "validated" ? "good" : "bad"}">${formatInUse(inUseSummary(result))}</strong>
      ${unsandboxed ? UNSANDBOXED : null}
      ${overall === null ? null : html`with a speedup of ${speedup(overall)} over the reference in the problem’s application,`}
      on ${moment(checkedAt)} UTC. <a href="/docs/explanation/judging#in-use">How kernels run in use</a>
    </p>
    ${cases.length > 0 || reason === null ? null : html`<p class="message">${reason}</p>`}
    ${cases.length === 0 ? null : table({ className: "cases", labelledBy: name, columns: ["Case of the application", "Result"], rows: cases.map(row) })}
  </section>`;
}

function row({ case: parameters, verdict, slower, message }: InUse["cases"][number]): Html {
  return html`<tr>
    <th scope="row">${oneLine(caseLine(parameters))}</th>
    <td>
      <span class="${verdict === "holds" ? "good" : verdict === "not_run" ? "faint" : "bad"}"
        >${message ?? `${MEANINGS[verdict]}${slower ? ", slower than the reference" : ""}`}</span
      >
    </td>
  </tr>`;
}
