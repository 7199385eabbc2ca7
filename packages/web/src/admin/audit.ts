/** Admin page of the audit log: every action taken with the rights of a role. */
import type { AuditEntry } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";
import { adminPage } from "./frame.ts";
import { table } from "../layout/table.ts";
import { option } from "../layout/forms.ts";

export interface AuditQuery {
  act?: string | undefined;
  account?: string | undefined;
}

interface AuditPage {
  visit: SignedVisit;
  entries: readonly AuditEntry[];
  /** All kinds of action in the log. */
  acts: readonly string[];
  query: AuditQuery;
  /** Whether older entries exist. */
  more: boolean;
}

export function auditPage({ visit, entries, acts, query, more }: AuditPage): Promise<string> {
  return adminPage({
    visit,
    title: "Audit log",
    body: html`
      <p>
        Every action of organisers, moderators and administrators. An entry is written in the transaction of its action
        and never changes.
      </p>
      ${filters(acts, query)}
      ${
        entries.length === 0
          ? html`<p class="empty">No entries match. <a href="/admin/audit">Show all</a></p>`
          : auditTable(entries)
      }
      ${more ? html`<p><a href="${older(query, entries.at(-1)?.id ?? 0)}" rel="next">Older entries</a></p>` : null}
      <h2 id="export">Export</h2>
      <p>Downloads the whole log, or a period of it (UTC), oldest entry first. The export is recorded in the log.</p>
      ${EXPORT_FORM}
    `,
  });
}

function filters(acts: readonly string[], { act, account = "" }: AuditQuery): Html {
  return html`<form method="get" action="/admin/audit" class="filters">
    <label
      >Action
      <select name="act">
        <option value="">All</option>
        ${acts.map((each) => option(each, act))}
      </select>
    </label>
    <label>Account <input type="search" name="account" value="${account}" maxlength="200" /></label>
    <button class="quiet">Search</button>
  </form>`;
}

const EXPORT_FORM = html`<form method="get" action="/admin/audit/export" class="filters">
  <label>From <input type="date" name="since" /></label>
  <label>Before <input type="date" name="until" /></label>
  <label
    >Format
    <select name="format">
      <option value="csv">CSV</option>
      <option value="ndjson">NDJSON</option>
    </select>
  </label>
  <button class="quiet">Export</button>
</form>`;

function auditTable(entries: readonly AuditEntry[]): Html {
  return table({
    className: "stacked-rows audit",
    columns: ["Time", "Account", "Action", "Subject", "Details"],
    rows: entries.map(
      ({ id, at, account, act, subject, detail }) =>
        html`<tr id="entry-${id}">
          <td class="nowrap">${moment(at)}</td>
          <th scope="row">${account.name}</th>
          <td>${act}</td>
          <td>${subjectLink(subject)}</td>
          <td>${details(detail)}</td>
        </tr>`,
    ),
  });
}

/** Page paths of audit subjects, by kind of subject. */
const SUBJECT_PATHS: Readonly<Record<string, (key: string) => string>> = {
  run: (key) => `/moderation/runs/${key}`,
  submission: (key) => `/submissions/${key}`,
  competition: (key) => `/admin/competitions/${key}`,
  account: (key) => `/admin/accounts/${encodeURIComponent(key)}`,
};

function subjectLink(subject: string): Html {
  const [kind = "", key = "", ...rest] = subject.split(" ");
  const pathOf = rest.length === 0 && Object.hasOwn(SUBJECT_PATHS, kind) ? SUBJECT_PATHS[kind] : undefined;
  return pathOf === undefined
    ? html`${subject}`
    : html`<a href="${pathOf(key)}" title="${subject}">${kind} ${shortened(key)}</a>`;
}

/** Shortens a UUID to its first eight digits, which suffice to tell subjects apart; other keys are unchanged. */
function shortened(key: string): string {
  return /^[0-9a-f]{8}-/.test(key) ? `${key.slice(0, 8)}…` : key;
}

/** Details longer than this many characters are folded: an audit entry can contain a whole competition. */
const MAX_INLINE = 160;

function details(detail: AuditEntry["detail"]): Html | null {
  const parts = Object.entries(detail).map(([key, value]) => `${key}: ${textOf(value)}`);
  if (parts.length === 0) return null;
  const whole = parts.join("; ");
  if (whole.length <= MAX_INLINE) return html`${whole}`;
  return html`<details>
    <summary>${whole.slice(0, 60)} …</summary>
    <ul class="plain">
      ${parts.map((part) => html`<li>${part}</li>`)}
    </ul>
  </details>`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function older({ act, account }: AuditQuery, before: number): string {
  const params = new URLSearchParams({ ...(act && { act }), ...(account && { account }), before: String(before) });
  return `/admin/audit?${params.toString()}`;
}
