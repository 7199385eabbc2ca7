/** Findings of the review in a source, each with its line. */
import type { ReviewFinding, Submission } from "@kernelbot/core";
import { codeLanguage, highlightLines } from "../code/highlight.ts";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";

/** Number of lines shown before and after the line of a finding. */
const CONTEXT_LINES = 2;

/** Maximum number of findings shown with their lines; a source can be written to have thousands. */
const MAX_SHOWN = 50;

export async function findings(
  review: readonly ReviewFinding[],
  source: string,
  submission: Submission,
): Promise<Html> {
  const lines = await highlightLines(source, codeLanguage(submission.fileName));
  return html`<section aria-labelledby="source">
    <h2 id="source">Source</h2>
    <p>
      <a href="/submissions/${submission.id}/source">${submission.fileName}</a>,
      ${count(lines.length, "line", "lines")}.
      ${review.length === 0 ? "The static review has no findings." : `The static review has ${count(review.length, "finding", "findings")}:`}
    </p>
    ${review.slice(0, MAX_SHOWN).map((finding) => findingExcerpt(finding, lines))}
    ${review.length > MAX_SHOWN ? html`<p><small>Showing the first ${MAX_SHOWN} of ${review.length} findings.</small></p>` : null}
  </section>`;
}

const TONES: Readonly<Record<ReviewFinding["severity"], string>> = { suspicious: "bad", warning: "care", info: "" };

function findingExcerpt({ severity, rule, line, sentence }: ReviewFinding, lines: readonly Html[]): Html {
  const first = Math.max(1, line - CONTEXT_LINES);
  const shown = lines.slice(first - 1, line + CONTEXT_LINES);
  return html`<section class="finding" aria-label="Line ${line}: ${sentence}">
    <p>
      <span class="badge ${TONES[severity]}">${severity}</span>
      <code>${rule}</code> ${sentence}
    </p>
    <pre
      class="code"
      tabindex="0"
    ><code>${shown.map((text, at) => codeLine(text, first + at, first + at === line))}</code></pre>
  </section>`;
}

function codeLine(text: Html, number: number, isMarked: boolean): Html {
  return html`<span class="${isMarked ? "line marked" : "line"}"><span class="number">${number}</span>${text} </span>`;
}
