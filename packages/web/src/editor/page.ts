/**
 * Editor page, on which a submission is written or uploaded, submitted and followed. Without script, the editor is a
 * plain form.
 */
import { isFinished, languageOf, type Submission } from "@kernelbot/core";
import { breadcrumb, problemCrumbs } from "../layout/breadcrumb.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { EditorPage } from "./page-data.ts";
import { modes, targets } from "./fields.ts";
import { form } from "./form.ts";
import { history } from "./history.ts";
import { statement } from "./statement.ts";

export async function editorPage(options: EditorPage): Promise<string> {
  const { visit, problem, terms } = options;
  return page({
    title: `Submit to ${problem.name}`,
    visit,
    islands: ["editor"],
    description: `Write a kernel for ${problem.name} in the browser and submit it.`,
    body: html`
      ${breadcrumb(problemCrumbs(problem.name, terms.competition))}
      <h1>Submit to ${problem.name}</h1>
      ${terms.targets.length === 0 ? withdrawnNotice() : await editor(options)}
    `,
  });
}

function withdrawnNotice(): Html {
  return html`<p class="empty">
    This problem was withdrawn and no longer accepts submissions. Existing results stay on its leaderboards.
  </p>`;
}

/** Renders the statement on the left, and the form, its buttons and the current run on the right. */
async function editor(options: EditorPage): Promise<Html> {
  const { visit, problem, terms, fields, submissions } = options;
  return html`<div class="editor">
      ${await statement(problem)} ${form(options)}
      <section class="run-pane" aria-labelledby="run-title">
        <h2 id="run-title">Run</h2>
        ${targets(terms, fields.targets)}
        ${visit.viewer === null ? signInFirst(problem.name, fields.fileName) : modes(terms)}
        ${currentRun(submissions[0])}
      </section>
    </div>
    <section id="history" aria-labelledby="history-title">
      ${visit.viewer === null ? null : history(problem.name, submissions)}
    </section>`;
}

/** Renders a sign-in link that returns to the same language, of which the browser may have a draft. */
function signInFirst(problem: string, fileName: string): Html {
  const language = languageOf(fileName);
  const next = encodeURIComponent(`/problems/${problem}/submit${language === null ? "" : `?language=${language}`}`);
  return html`<p class="sign-in-first">
    <a href="/sign-in?next=${next}" class="button">Sign in to submit</a>
    <small class="needs-script block">Your draft stays in this browser.</small>
  </p>`;
}

/** Renders the element that shows the current run: at first the viewer's latest submission, if unfinished. */
function currentRun(latest: Submission | undefined): Html {
  if (latest === undefined || isFinished(latest)) {
    return html`<div id="watch" data-watch="">
      <p class="quiet">The progress of your submission is shown here. Closing the page does not cancel it.</p>
    </div>`;
  }
  return html`<div id="watch" data-watch="/submissions/${latest.id}">
    <p>
      <a href="/submissions/${latest.id}">Submission ${latest.id}</a> is in progress. Closing the page does not cancel
      it.
    </p>
  </div>`;
}
