import { CHECK_WORDS, type Flag, type Inspection, type ModerationQueue, type QuarantineItem } from "@kernelbot/core";
import { cases } from "./cases.ts";
import { html, type Html } from "./html.ts";
import { page } from "./layout.ts";
import type { SignedVisit } from "./visit.ts";
import { samples } from "./samples.ts";
import { sourceDiff } from "./source-diff.ts";
import { moment, standing } from "./words.ts";

/** All that waits for a moderator, with the commands that decide it. */
export function moderationPage({ items, appeals }: ModerationQueue, visit: SignedVisit): Promise<string> {
  return page({
    visit,
    title: "Moderation",
    body: html`
      <h1>Moderation</h1>
      <h2 id="runs">Runs</h2>
      ${items.length === 0 ? html`<p>Nothing speaks against any run.</p>` : items.map(itemSection)}
      <h2 id="appeals">Appeals</h2>
      ${appeals.length === 0 ? html`<p>No appeal waits.</p>` : appeals.map(appealSection)}
    `,
  });
}

function itemSection(item: QuarantineItem): Html {
  return html`<section aria-label="Run ${item.runId}">
    <h3>Run ${item.runId} <span class="target">${item.board} on ${item.target}</span></h3>
    <p>
      <a href="/submissions/${item.submissionId}">${item.fileName}</a> by <strong>${item.account.name}</strong>,
      ${moment(item.finishedAt)}, ${item.verdict === "passed" ? "still on its board" : "on no board"}.
    </p>
    <ul>
      ${item.flags.map(flagItem)} ${item.review.map(findingItem)}
    </ul>
    <p><a href="/moderation/runs/${item.runId}">Inspect and decide</a>, or in a terminal:</p>
    <pre><code>kernelbot admin inspect ${item.runId}
kernelbot admin accept ${item.runId} --reason …
kernelbot admin reject ${item.runId} --reason …</code></pre>
  </section>`;
}

function appealSection(appeal: ModerationQueue["appeals"][number]): Html {
  return html`<section aria-label="Decision ${appeal.id}">
    <h3>Decision ${appeal.id}: ${appeal.act}</h3>
    <p>
      <strong>${appeal.decidedBy.name}</strong> about <strong>${appeal.account.name}</strong>, ${moment(appeal.at)}:
      ${appeal.reason}
    </p>
    <blockquote>${appeal.appeal?.text ?? ""}</blockquote>
    <pre><code>kernelbot admin answer ${appeal.id} --grant --reason …
kernelbot admin answer ${appeal.id} --reason …</code></pre>
  </section>`;
}

export interface InspectionPage {
  inspection: Inspection;
  visit: SignedVisit;
  /** What could not be done. */
  problem?: string | undefined;
  /** The reason as it was typed, where it could not be done. */
  reason?: string | undefined;
}

/** A run with its evidence: what speaks against it, its samples, its review, and the sources most like its own. */
export function inspectionPage({ inspection, visit, problem, reason = "" }: InspectionPage): Promise<string> {
  const { run, account, flags, similar } = inspection;
  return page({
    visit,
    title: `Run ${run.id}`,
    body: html`
      <h1>Run ${run.id} <span class="target">${run.board} on ${run.target}</span></h1>
      ${problem === undefined ? null : html`<p class="notice" role="alert">${problem}</p>`}
      <p>
        <a href="/submissions/${run.submissionId}">Submission ${run.submissionId}</a> by
        <strong>${account.name}</strong>. ${standing(run).words}.
      </p>
      ${run.message === null ? null : html`<p class="message">${run.message}</p>`}
      ${
        flags.length + run.review.length === 0
          ? null
          : html`<ul>
              ${flags.map(flagItem)} ${run.review.map(findingItem)}
            </ul>`
      }
      ${decisionForm(inspection, reason)}
      ${run.stages.map((stage) => (stage.cases.length === 0 ? null : html`${cases(stage)} ${samples(stage)}`))}
      <h2 id="similar">Sources most like it</h2>
      ${
        similar.length === 0
          ? html`<p>Nobody else handed in anything like it.</p>`
          : similar.map((other) => similarSection(other, run.submissionId))
      }
    `,
  });
}

/** The buttons for what can be done with the run as it stands. */
function decisionForm({ run, flags }: Inspection, reason: string): Html | null {
  const isOpen = flags.length > 0 || run.verdict === "quarantined";
  const canFlag = run.mode === "ranked" && run.verdict === "passed";
  if (!isOpen && !canFlag) return null;
  const act = (name: string, label: string): Html =>
    html`<button name="act" value="${name}" class="quiet">${label}</button>`;
  return html`<h2 id="decide">Decide</h2>
    <form method="post" action="/moderation/runs/${run.id}/decide" class="stack">
      <label for="reason">The reason, which its owner reads</label>
      <textarea id="reason" name="reason" rows="3" required maxlength="1000">${reason}</textarea>
      <div class="ways">
        ${isOpen ? [act("accept", "Accept"), act("reject", "Reject")] : null}
        ${canFlag ? act("flag", "Take off its board until decided") : null}
      </div>
    </form>`;
}

function similarSection(
  { submissionId, account, fileName, earlier, similarity, diff }: Inspection["similar"][number],
  inspected: number,
): Html {
  return html`<p>
      <strong>${(100 * similarity).toFixed(0)} %</strong>:
      <a href="/submissions/${submissionId}">submission ${submissionId}</a>, ${fileName} by ${account.name}, handed in
      ${earlier ? "before" : "after"} it.
    </p>
    ${diff === null ? null : sourceDiff(diff, { a: String(submissionId), b: String(inspected) })}`;
}

function flagItem({ check, by, message, at }: Flag): Html {
  return html`<li>
    <strong>${CHECK_WORDS[check]}</strong>${by === null ? null : html` (${by.name})`}, ${moment(at)}: ${message}
  </li>`;
}

function findingItem({ severity, line, sentence }: QuarantineItem["review"][number]): Html {
  return html`<li>Review, ${severity}, line ${line}: ${sentence}</li>`;
}
