/** Tokens, accounts and the audit log as tables. */
import type { AccountSummary, AuditEntry, Token } from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { table } from "./table.ts";
import { moment } from "./format.ts";

export function tokenLines(tokens: readonly Token[], width: number, style: Style): string[] {
  if (tokens.length === 0) return ["You have no tokens."];
  const rows = tokens.map(({ id, label, scopes, targets, lastUsedAt, expiresAt, current }) => [
    String(id),
    current ? `${label} (this one)` : label,
    [scopes.join(","), ...targets].join(" "),
    lastUsedAt === null ? "never" : moment(lastUsedAt),
    expiresAt === null ? "never" : moment(expiresAt),
  ]);
  const columns = [
    { title: "id", side: "right" },
    { title: "label", shrinks: true },
    { title: "scopes" },
    { title: "last used" },
    { title: "expires" },
  ] as const;
  return table(columns, rows, width, style);
}

export function accountLines(accounts: readonly AccountSummary[], width: number, style: Style): string[] {
  if (accounts.length === 0) return ["No more accounts."];
  const rows = accounts.map(({ name, roles, providers, banReason, createdAt, id }) => [
    name,
    roles.join(", "),
    providers.join(", "),
    banReason === null ? "" : style.red("banned"),
    moment(createdAt),
    id,
  ]);
  const columns = [
    { title: "account", shrinks: true },
    { title: "roles" },
    { title: "sign-in" },
    { title: "" },
    { title: "created" },
    { title: "id" },
  ] as const;
  return table(columns, rows, width, style);
}

export function auditLines(entries: readonly AuditEntry[], width: number, style: Style): string[] {
  if (entries.length === 0) return ["The audit log is empty."];
  const rows = entries.map(({ id, at, account, act, subject, detail }) => [
    String(id),
    moment(at),
    account.name,
    act,
    subject,
    Object.keys(detail).length === 0 ? "" : JSON.stringify(detail),
  ]);
  const columns = [
    { title: "id", side: "right" },
    { title: "time" },
    { title: "account" },
    { title: "action" },
    { title: "subject" },
    { title: "details", shrinks: true },
  ] as const;
  return table(columns, rows, width, style);
}
