/** The source of a submission, folded, for those who may read it. */
import { formatBytes, isFinished, type Submission } from "@kernelbot/core";
import { codeBlock, codeLanguage } from "../highlight.ts";
import { html, type Html } from "../html.ts";
import { count } from "../words.ts";

/** A longer one has a page of its own alone: to highlight it for each look at this one would cost too much. */
const SHOWN_CHARACTERS = 20_000;

export async function code(submission: Submission, source: string): Promise<Html> {
  const { id, fileName } = submission;
  const lines = source.replace(/\n$/, "").split("\n").length;
  const size = `${count(lines, "line", "lines")}, ${formatBytes(new TextEncoder().encode(source).length)}`;
  // A page on its way is made anew with each event: its colours can wait.
  const language = isFinished(submission) ? codeLanguage(fileName) : null;
  return html`<section id="source">
    <h2>Source</h2>
    <p><a href="/submissions/${id}/source">${fileName}</a> <small>${size}</small></p>
    ${
      source.length > SHOWN_CHARACTERS
        ? null
        : html`<details>
            <summary>Show it here</summary>
            ${await codeBlock(source, language)}
          </details>`
    }
  </section>`;
}
