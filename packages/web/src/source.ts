import type { Submission } from "@kernelbot/core";
import { html } from "./html.ts";
import { page, type Viewer } from "./layout.ts";

/** The source of a submission, for those who may read it. */
export function sourcePage({
  submission,
  source,
  viewer,
}: {
  submission: Submission;
  source: string;
  viewer: Viewer | null;
}): Promise<string> {
  const { id, fileName, account, licence } = submission;
  return page({
    title: `${fileName} · submission ${id}`,
    viewer,
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
