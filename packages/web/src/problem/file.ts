import { codeLanguage, numberedCode } from "../code/highlight.ts";
import { breadcrumb, problemCrumbs } from "../layout/breadcrumb.ts";
import { html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";

export interface ProblemFilePage {
  problem: string;
  name: string;
  text: string;
  visit: Visit;
}

/** Renders a file of a problem with numbered lines that can be linked to. */
export async function problemFilePage({ problem, name, text, visit }: ProblemFilePage): Promise<string> {
  return page({
    title: `${name} · ${problem}`,
    visit,
    body: html`
      ${breadcrumb(problemCrumbs(problem, null))}
      <h1>${name}</h1>
      <p class="row">
        <a class="button quiet" href="/problems/${problem}/files/${encodeURIComponent(name)}?download=1" download
          >Download</a
        >
        <button type="button" class="quiet needs-script" data-copy="text">Copy</button>
      </p>
      <div id="text">${await numberedCode(text, codeLanguage(name))}</div>
    `,
  });
}
