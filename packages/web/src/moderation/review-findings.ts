/** Findings of the review in a source, each with its line. */
import type { ReviewFinding, Submission } from "@kernelbot/core";
import { codeLanguage, highlightLines } from "../code/highlight.ts";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";

/** Number of lines shown before and after the line of a finding. */
const AROUND = 2;

/** Maximum number of findings shown with their lines; a source can be written to have thousands. */
const SHOWN = 50;

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
      ${review.length === 0 ? "The review found nothing in it." : `The review found ${review.length} in it:`}
    </p>
    ${review.slice(0, SHOWN).map((finding) => findingPart(finding, lines))}
    ${review.length > SHOWN ? html`<p><small>The first ${SHOWN} of ${review.length}.</small></p>` : null}
  </section>`;
}

const TONES: Readonly<Record<ReviewFinding["severity"], string>> = { suspicious: "bad", warning: "care", info: "" };

function findingPart({ severity, rule, line, sentence }: ReviewFinding, lines: readonly Html[]): Html {
  const first = Math.max(1, line - AROUND);
  const shown = lines.slice(first - 1, line + AROUND);
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

function codeLine(text: Html, number: number, isMeant: boolean): Html {
  return html`<span class="${isMeant ? "line meant" : "line"}"><span class="number">${number}</span>${text} </span>`;
}
