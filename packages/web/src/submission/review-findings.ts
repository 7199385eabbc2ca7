/** Findings of the static review, for the owner and for moderators. Findings do not affect the verdict. */
import { sanitize, REVIEW_SEVERITIES, type ReviewFinding, type RunDetail } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";

export function review(
  findings: readonly ReviewFinding[],
  { id, submissionId }: Pick<RunDetail, "id" | "submissionId">,
): Html | null {
  if (findings.length === 0) return null;
  const gravity = ({ severity }: ReviewFinding) => REVIEW_SEVERITIES.indexOf(severity);
  const sorted = findings.toSorted((a, b) => gravity(b) - gravity(a) || a.line - b.line);
  return html`<details class="quiet-line" id="review-${id}">
    <summary>
      Static review: ${count(findings.length, "finding", "findings")} (informational, no effect on the verdict)
    </summary>
    <ul class="findings">
      ${sorted.map(
        ({ severity, line, sentence, excerpt, rule }) =>
          html`<li>
            <span class="${severity === "info" ? "quiet" : "care"}" title="${rule}">${severity}</span>,
            <a href="/submissions/${submissionId}/source#L${line}">line ${line}</a>: ${sentence}
            <pre tabindex="0"><code>${sanitize(excerpt)}</code></pre>
          </li>`,
      )}
    </ul>
  </details>`;
}
