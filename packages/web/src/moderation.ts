import {
  CHECK_WORDS,
  hunkHeader,
  type Flag,
  type Inspection,
  type ModerationQueue,
  type QuarantineItem,
} from "@kernelbot/core";
import { cases } from "./cases.ts";
import { html, type Html } from "./html.ts";
import { page, type Viewer } from "./layout.ts";
import { samples } from "./samples.ts";
import { moment } from "./words.ts";

/** All that waits for a moderator, with the commands that decide it. */
export function moderationPage({ items, appeals }: ModerationQueue, viewer: Viewer): Promise<string> {
  return page({
    viewer,
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
    <h3>
      <a href="/moderation/runs/${item.runId}">Run ${item.runId}</a>
      <span class="target">${item.board} on ${item.target}</span>
    </h3>
    <p>
      <a href="/submissions/${item.submissionId}">${item.fileName}</a> by <strong>${item.account.name}</strong>,
      ${moment(item.finishedAt)}, ${item.verdict === "passed" ? "still on its board" : "on no board"}.
    </p>
    <ul>
      ${item.flags.map(flagItem)} ${item.review.map(findingItem)}
    </ul>
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

/** A run with its evidence: what speaks against it, its samples, its review, and the sources most like its own. */
export function inspectionPage({ run, account, flags, similar }: Inspection, viewer: Viewer): Promise<string> {
  return page({
    viewer,
    title: `Run ${run.id}`,
    body: html`
      <h1>Run ${run.id} <span class="target">${run.board} on ${run.target}</span></h1>
      <p>
        <a href="/submissions/${run.submissionId}">Submission ${run.submissionId}</a> by
        <strong>${account.name}</strong>. ${run.message === null ? null : html`<p class="message">${run.message}</p>`}
      </p>
      <ul>
        ${flags.map(flagItem)} ${run.review.map(findingItem)}
      </ul>
      ${run.stages.map((stage) => (stage.cases.length === 0 ? null : html`${cases(stage)} ${samples(stage)}`))}
      <h2 id="similar">Sources most like it</h2>
      ${similar.length === 0 ? html`<p>Nobody else handed in anything like it.</p>` : similar.map(similarSection)}
    `,
  });
}

function similarSection({
  submissionId,
  account,
  fileName,
  earlier,
  similarity,
  diff,
}: Inspection["similar"][number]): Html {
  const signs = { same: " ", removed: "-", added: "+" };
  const lines = (diff ?? []).flatMap((hunk) => [
    hunkHeader(hunk),
    ...hunk.lines.map(({ kind, text }) => `${signs[kind]}${text}`),
  ]);
  return html`<p>
      <strong>${(100 * similarity).toFixed(0)} %</strong>:
      <a href="/submissions/${submissionId}">submission ${submissionId}</a>, ${fileName} by ${account.name}, handed in
      ${earlier ? "before" : "after"} it.
    </p>
    ${lines.length === 0 ? null : html`<pre><code>${lines.join("\n")}</code></pre>`}`;
}

function flagItem({ check, by, message, at }: Flag): Html {
  return html`<li>
    <strong>${CHECK_WORDS[check]}</strong>${by === null ? null : html` (${by.name})`}, ${moment(at)}: ${message}
  </li>`;
}

function findingItem({ severity, line, sentence }: QuarantineItem["review"][number]): Html {
  return html`<li>Review, ${severity}, line ${line}: ${sentence}</li>`;
}
