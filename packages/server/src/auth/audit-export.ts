/** Export of the audit log, as a stream: it may be far larger than a page or the memory. */
import { Readable } from "node:stream";
import { csvDocument, type AuditEntry, type AuditExport } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { audited, entryOf, entryRows } from "./audit.ts";
import { requireRole, type Identity } from "./identity.ts";

/** Entries read per statement. */
const BATCH = 1000;

const HEADER = csvDocument([["id", "at", "account_id", "account", "act", "subject", "detail"]]);

/**
 * Records the export in the log, and returns the entries of the period, oldest first: one JSON object per line, or CSV
 * that is safe to open in a spreadsheet. For administrators.
 */
export async function exportAudit(
  database: Database,
  identity: Identity,
  request: AuditExport,
): Promise<ReadableStream> {
  requireRole(identity, "administrator");
  await audited(database, identity, "export", "audit", request);
  return Readable.toWeb(Readable.from(exportedText(database, request), { objectMode: false })) as ReadableStream;
}

async function* exportedText({ db }: Database, { format, since, until }: AuditExport): AsyncGenerator<string> {
  if (format === "csv") yield HEADER;
  const textOf = format === "csv" ? csvOf : ndjsonOf;
  for (let last = 0; ;) {
    const rows = await entryRows(db)
      .where("audit.id", ">", last)
      .$if(since !== undefined, (query) => query.where("at", ">=", new Date(since ?? "")))
      .$if(until !== undefined, (query) => query.where("at", "<", new Date(until ?? "")))
      .orderBy("audit.id")
      .limit(BATCH)
      .execute();
    const end = rows.at(-1);
    if (end === undefined) return;
    yield textOf(rows.map(entryOf));
    if (rows.length < BATCH) return;
    last = end.id;
  }
}

function ndjsonOf(entries: readonly AuditEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

function csvOf(entries: readonly AuditEntry[]): string {
  return csvDocument(
    entries.map(({ id, at, account, act, subject, detail }) => [
      id,
      at,
      account.id,
      account.name,
      act,
      subject,
      detail,
    ]),
  );
}
