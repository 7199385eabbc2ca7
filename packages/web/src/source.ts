import type { Submission } from "@kernelbot/core";
import { html } from "./html.ts";
import { page } from "./layout.ts";
import type { Visit } from "./visit.ts";

/** The source of a submission, for those who may read it. */
export function sourcePage({
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
      <h1>${fileName}</h1>
      <p>
        <a href="/submissions/${id}">Submission ${id}</a> by <strong>${account.name}</strong>${
          licence === null ? null : html`, under <code>${licence}</code>`
        }.
      </p>
      <pre class="source"><code>${source}</code></pre>
    `,
  });
}
