import { CHECK_WORDS, type ModerationQueue, type QuarantineItem } from "@kernelbot/core";
import { html, type Html } from "./html.ts";
import { page } from "./layout.ts";
import { moment } from "./words.ts";

/** All that waits for a moderator, with the commands that decide it. */
export function moderationPage({ items, appeals }: ModerationQueue): Promise<string> {
  return page({
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
      ${item.flags.map(
        ({ check, by, message, at }) =>
          html`<li>
            <strong>${CHECK_WORDS[check]}</strong>${by === null ? null : html` (${by.name})`}, ${moment(at)}: ${message}
          </li>`,
      )}
      ${item.review.map(
        ({ severity, line, sentence }) => html`<li>Review, ${severity}, line ${line}: ${sentence}</li>`,
      )}
    </ul>
    <pre><code>kernelbot admin accept ${item.runId} --reason …
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
