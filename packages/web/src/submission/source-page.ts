import type { Submission } from "@kernelbot/core";
import { breadcrumb, problemCrumbs } from "../layout/breadcrumb.ts";
import { codeLanguage, numberedCode } from "../code/highlight.ts";
import { html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";

/** Renders the source of a submission, for viewers who may read it. */
export async function sourcePage({
  submission,
  source,
  visit,
}: {
  submission: Submission;
  source: string;
  visit: Visit;
}): Promise<string> {
  const { id, fileName, account, licence } = submission;
  return page({
    title: `${fileName} · submission ${id}`,
    visit,
    body: html`
      ${breadcrumb([...problemCrumbs(submission.board, null), [`Submission ${id}`, `/submissions/${id}`]])}
      <h1>${fileName}</h1>
      <p>By <strong>${account.name}</strong>${licence === null ? null : html`, under <code>${licence}</code>`}.</p>
      <p class="row">
        <a class="button quiet" href="/api/v1/submissions/${id}/source" download="${fileName}">Download</a>
        <button type="button" class="quiet needs-script" data-copy="source">Copy</button>
      </p>
      <div id="source">${await numberedCode(source, codeLanguage(fileName))}</div>
    `,
  });
}
