/** Pages that erase an account: what is deleted and kept, and a form that asks for the name. */
import type { ErasureKind, ErasurePreview } from "@kernelbot/core";
import { adminPage } from "../admin/frame.ts";
import { checkbox } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { right, table } from "../layout/table.ts";
import { accountFrame } from "./frame.ts";

interface ErasurePage {
  visit: SignedVisit;
  preview: ErasurePreview;
  /** Error message of a form that failed. */
  problem?: string | undefined;
}

/** The page for the owner of the account. */
export function erasurePage({ visit, preview, problem }: ErasurePage): Promise<string> {
  return accountFrame({
    visit,
    title: "Erase your account",
    problem,
    body: html`<p><a href="/account/export">Download your data</a> first. An erasure cannot be undone.</p>
      ${content(preview, "/account/erase")}`,
  });
}

/** The page for administrators, who erase an account on request of its owner. */
export function adminErasurePage({ visit, preview, problem }: ErasurePage): Promise<string> {
  const { id, name } = preview.account;
  const at = `/admin/accounts/${encodeURIComponent(id)}`;
  return adminPage({
    visit,
    title: `Erase ${name}`,
    above: [
      ["Accounts", "/admin/accounts"],
      [name, at],
    ],
    outcome: { problem },
    body: html`<p>On request of the owner. An erasure cannot be undone, and is recorded in the audit log.</p>
      ${content(preview, `${at}/erase`)}`,
  });
}

const KINDS: Readonly<Record<ErasureKind, string>> = {
  deleted: "deleted",
  redacted: "stays without what the person wrote",
  kept: "stays under the pseudonym",
};

function content({ account, obstacles, openRuns, boardResults, tables }: ErasurePreview, action: string): Html {
  return html`
    <p>
      The account gets a random name and can no longer be used. Identities, sessions, tokens and webhooks are deleted at
      once, sources, outputs and files within minutes. Unfinished runs are cancelled
      (${openRuns.toLocaleString("en-US")} now). Results stay on leaderboards under the new name
      (${boardResults.toLocaleString("en-US")} now), so that ranks do not change.
    </p>
    ${
      obstacles.length === 0
        ? form(account.name, action)
        : html`<div class="notice bad" role="alert">
            <p>Not possible now:</p>
            <ul>
              ${obstacles.map((obstacle) => html`<li>${obstacle}</li>`)}
            </ul>
          </div>`
    }
    <h2 id="tables">What is stored</h2>
    ${table({
      className: "list-table",
      columns: ["Table", right("Rows"), "On erasure"],
      rows: tables.map(
        ({ table: name, rows, erasure }) =>
          html`<tr>
            <th scope="row"><code>${name}</code></th>
            <td class="right">${rows.toLocaleString("en-US")}</td>
            <td>${KINDS[erasure]}</td>
          </tr>`,
      ),
    })}
    <p><a href="/docs/reference/personal-data">All tables, and why rows stay</a></p>
  `;
}

function form(name: string, action: string): Html {
  return html`<form method="post" action="${action}" class="stack">
    ${checkbox("results", "remove", false, "Also remove the results from leaderboards")}
    <label for="confirm-name">To confirm, type the name of the account: ${name}</label>
    <input id="confirm-name" name="name" required autocomplete="off" size="30" />
    <div><button class="danger">Erase account</button></div>
  </form>`;
}
