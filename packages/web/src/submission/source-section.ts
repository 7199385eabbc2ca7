/** Source of a submission, for viewers who may read it: its first lines, and the others folded. */
import { formatBytes, isFinished, type Submission } from "@kernelbot/core";
import { codeLanguage, numberedStart } from "../code/highlight.ts";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";

/**
 * Longer sources are shown only on their own page: highlighting them for each view of this page would cost too much, and
 * each line adds 80 characters of HTML for its number.
 */
const SHOWN_CHARACTERS = 20_000;
const SHOWN_LINES = 1000;

/** Returns the path of a line of the source: on the page of the submission, or on that of its source. */
export function linePath({ id }: Submission, source: string, line: number): string {
  return `${isShown(source) ? "" : `/submissions/${id}/source`}#L${line}`;
}

function isShown(source: string): boolean {
  return source.length <= SHOWN_CHARACTERS && lineCount(source) <= SHOWN_LINES;
}

function lineCount(source: string): number {
  return source.replace(/\n$/, "").split("\n").length;
}

export async function code(submission: Submission, source: string): Promise<Html> {
  const { id, fileName } = submission;
  const size = `${count(lineCount(source), "line", "lines")}, ${formatBytes(new TextEncoder().encode(source).length)}`;
  // The page of an unfinished submission is rendered again on each event, so highlighting is left for the end.
  const language = isFinished(submission) ? codeLanguage(fileName) : null;
  const shown = isShown(source) ? await numberedStart(source, language) : null;
  return html`<section class="source" id="code" aria-labelledby="code-title">
    <h2 id="code-title">Source</h2>
    <p><a href="/submissions/${id}/source">${fileName}</a> <small>${size}</small></p>
    ${
      shown === null
        ? null
        : html`${shown.first}
          ${
            shown.rest === null
              ? null
              : html`<details>
                  <summary>Show ${count(shown.left, "more line", "more lines")}</summary>
                  ${shown.rest}
                </details>`
          }`
    }
  </section>`;
}
