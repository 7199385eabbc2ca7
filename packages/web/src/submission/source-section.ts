/** Source of a submission, folded, for viewers who may read it. */
import { formatBytes, isFinished, type Submission } from "@kernelbot/core";
import { codeBlock, codeLanguage } from "../code/highlight.ts";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";

/**
 * Longer sources are shown only on their own page: highlighting them for each view of this page would cost too much.
 */
const SHOWN_CHARACTERS = 20_000;

export async function code(submission: Submission, source: string): Promise<Html> {
  const { id, fileName } = submission;
  const lines = source.replace(/\n$/, "").split("\n").length;
  const size = `${count(lines, "line", "lines")}, ${formatBytes(new TextEncoder().encode(source).length)}`;
  // The page of an unfinished submission is rendered again on each event, so highlighting is left for the end.
  const language = isFinished(submission) ? codeLanguage(fileName) : null;
  return html`<section id="source">
    <h2>Source</h2>
    <p><a href="/submissions/${id}/source">${fileName}</a> <small>${size}</small></p>
    ${
      source.length > SHOWN_CHARACTERS
        ? null
        : html`<details>
            <summary>Show source</summary>
            ${await codeBlock(source, language)}
          </details>`
    }
  </section>`;
}
