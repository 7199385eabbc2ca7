/** Admin page of the audit log: every action taken with the rights of a role. */
import type { AuditEntry } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";
import { adminPage } from "./frame.ts";

export interface AuditQuery {
  act?: string | undefined;
  account?: string | undefined;
}

export interface AuditPage {
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
      <p>Every act of organisers, moderators and administrators, written with the act itself and never changed.</p>
      ${filters(acts, query)}
      ${
        entries.length === 0
          ? html`<p class="empty">Nothing like that was done. <a href="/admin/audit">The whole log</a></p>`
          : table(entries)
      }
      ${
        more
          ? html`<p><a href="${older(query, entries.at(-1)?.id ?? 0)}" rel="next">What was done before</a></p>`
          : null
      }
    `,
  });
}

function filters(acts: readonly string[], { act, account = "" }: AuditQuery): Html {
  return html`<form method="get" action="/admin/audit" class="filters">
    <label
      >Act
      <select name="act">
        <option value="">all</option>
        ${acts.map((each) => html`<option ${each === act ? html`selected` : null}>${each}</option>`)}
      </select>
    </label>
    <label>Done by <input type="search" name="account" value="${account}" maxlength="200" /></label>
    <button class="quiet">Find</button>
  </form>`;
}

function table(entries: readonly AuditEntry[]): Html {
  return html`<div class="scroll">
    <table class="folds audit">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">Act</th>
          <th scope="col">To what</th>
          <th scope="col">More</th>
        </tr>
      </thead>
      <tbody>
        ${entries.map(
          ({ id, at, account, act, subject, detail }) =>
            html`<tr id="entry-${id}">
              <td class="nowrap">${moment(at)}</td>
              <th scope="row">${account.name}</th>
              <td>${act}</td>
              <td>${subjectLink(subject)}</td>
              <td>${details(detail)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Page paths of audit subjects, by kind of subject. */
const PLACES: Readonly<Record<string, (key: string) => string>> = {
  run: (key) => `/moderation/runs/${key}`,
  submission: (key) => `/submissions/${key}`,
  competition: (key) => `/admin/competitions/${key}`,
  account: (key) => `/admin/accounts/${encodeURIComponent(key)}`,
};

function subjectLink(subject: string): Html {
  const [kind = "", key = "", ...rest] = subject.split(" ");
  const place = rest.length === 0 && Object.hasOwn(PLACES, kind) ? PLACES[kind] : undefined;
  return place === undefined
    ? html`${subject}`
    : html`<a href="${place(key)}" title="${subject}">${kind} ${shortened(key)}</a>`;
}

/** Shortens a UUID to its first eight digits, which suffice to tell subjects apart; other keys are unchanged. */
function shortened(key: string): string {
  return /^[0-9a-f]{8}-/.test(key) ? `${key.slice(0, 8)}…` : key;
}

/** Details longer than this many characters are folded: an audit entry can contain a whole competition. */
const SHORT = 160;

function details(detail: AuditEntry["detail"]): Html | null {
  const parts = Object.entries(detail).map(([key, value]) => `${key}: ${textOf(value)}`);
  if (parts.length === 0) return null;
  const whole = parts.join("; ");
  if (whole.length <= SHORT) return html`${whole}`;
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
  const asked = new URLSearchParams({ ...(act && { act }), ...(account && { account }), before: String(before) });
  return `/admin/audit?${asked.toString()}`;
}
