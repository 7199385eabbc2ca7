/**
 * Export of what the server stores about a person: a ZIP file with a file of JSON lines for each table with rows about the person, the
 * sources of submissions and the files of runs. It is made while it is downloaded, in memory of a bounded size, and at the
 * speed of the database: a slow download holds a file, and no connection and snapshot of the database.
 */
import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import { KernelBotError, portableFileName, type AccountName } from "@kernelbot/core";
import type { ObjectStore } from "../artifacts/store.ts";
import { getAccountByName } from "../auth/accounts.ts";
import { audited } from "../auth/audit.ts";
import { requireRole, requireScope, type Identity } from "../auth/identity.ts";
import { throttle } from "../auth/rate-limits.ts";
import { openClient, type Client } from "../db/client.ts";
import { batches } from "../db/cursor.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import type { PersonalTable } from "../db/personal-tables.ts";
import type { PersonalDatabase } from "./erase-rows.ts";
import { spooled } from "./spooled.ts";

/** Rows of a table, and sources, that are read at a time. A source has up to 1 MB. */
const ROWS = 200;
const SOURCES = 10;

/** An export reads every row of an account. */
const EXPORTS = { times: 10, windowS: 3600, what: "to export an account" };
/** An export that takes longer ends, since its transaction keeps old rows in the database. */
const PRODUCE_MS = 10 * 60_000;
/** Accounts whose exports are in progress at this server. */
const running = perDatabase(() => new Set<string>());

const encoder = new TextEncoder();

interface ExportedData extends PersonalDatabase {
  store: ObjectStore;
}

/** Part of the export, with its bytes as they are read. */
interface Entry {
  path: string;
  /** Whether the bytes are stored without compression. */
  isCompressed: boolean;
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * Starts an export of the caller's own account.
 * @returns its bytes, which throw the error of the database or the store.
 * @throws KernelBotError `too_many_requests`, also while an export of the account is in progress.
 */
export async function exportOwnAccount(
  data: ExportedData,
  identity: Identity,
): Promise<AsyncGenerator<Uint8Array, void>> {
  const { database } = data;
  requireScope(identity, "account");
  requireNone(database, identity.account);
  await throttle(database, "export", identity.account.id, EXPORTS);
  return exportPersonalData(data, identity.account);
}

/** Starts an export of an account on request of its owner, and records it. @throws KernelBotError `forbidden`; `not_found`. */
export async function exportAccount(
  data: ExportedData,
  identity: Identity,
  name: string,
): Promise<AsyncGenerator<Uint8Array, void>> {
  const { database } = data;
  requireRole(identity, "administrator");
  const account = await getAccountByName(database.db, name);
  requireNone(database, account);
  await audited(database, identity, "export-account", `account ${account.id}`);
  return exportPersonalData(data, account);
}

/** Yields the bytes of the export of an account, one at a time. */
async function* exportPersonalData(data: ExportedData, account: AccountName): AsyncGenerator<Uint8Array, void> {
  const { database } = data;
  requireNone(database, account);
  const accounts = running(database).add(account.id);
  try {
    yield* spooled((signal) => zippedRows(data, account, signal));
  } finally {
    accounts.delete(account.id);
  }
}

function requireNone(database: Database, { id, name }: AccountName): void {
  if (!running(database).has(id)) return;
  throw new KernelBotError("too_many_requests", `an export of ${name} is being downloaded; wait until it has ended`, {
    retryAfterS: 60,
  });
}

/** Yields the bytes of the ZIP file, with all rows from one state of the database. */
async function* zippedRows(
  { database: { connection }, store, personalTables }: ExportedData,
  account: AccountName,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const client = openClient(connection, { name: "kernelbot-export" });
  const end = AbortSignal.any([signal, AbortSignal.timeout(PRODUCE_MS)]);
  end.addEventListener("abort", () => client.destroy(), { once: true });
  try {
    await client.query("begin transaction isolation level repeatable read read only");
    yield* zipped(entries(client, store, personalTables, account));
    await client.query("commit");
  } finally {
    client.destroy();
  }
}

/** Yields the bytes of a ZIP file. */
async function* zipped(files: AsyncIterable<Entry>): AsyncGenerator<Uint8Array, void> {
  let ready: Uint8Array[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, chunk) => {
    failure = error ?? failure;
    ready.push(chunk);
  });
  function take(): Uint8Array[] {
    if (failure !== null) throw failure;
    const taken = ready;
    ready = [];
    return taken;
  }
  for await (const { path, isCompressed, bytes } of files) {
    const file = isCompressed ? new ZipPassThrough(path) : new ZipDeflate(path);
    zip.add(file);
    for await (const chunk of bytes) {
      file.push(chunk);
      yield* take();
    }
    file.push(new Uint8Array(), true);
    yield* take();
  }
  zip.end();
  yield* take();
}

async function* entries(
  client: Client,
  store: ObjectStore,
  tables: readonly PersonalTable[],
  { id, name }: AccountName,
): AsyncGenerator<Entry, void> {
  yield { path: "README.txt", isCompressed: false, bytes: [encoder.encode(readme(name, tables))] };
  for (const { table, rows, omit = [], notExported } of tables) {
    if (notExported !== undefined) continue;
    const text = `select (to_jsonb(t) - $2::text[])::text as line from ${table} t where ${rows.replaceAll("$1", "$1::text")}`;
    const lines = batches<{ line: string }>(client, `export_${table}`, ROWS, text, [id, omit as never]);
    const first = await lines.next();
    if (first.done !== true)
      yield { path: `tables/${table}.jsonl`, isCompressed: false, bytes: jsonLines(first.value, lines) };
  }
  yield* sources(client, id);
  yield* artifacts(client, store, id);
}

async function* jsonLines(
  first: readonly { line: string }[],
  rest: AsyncIterable<readonly { line: string }[]>,
): AsyncGenerator<Uint8Array, void> {
  const encode = (rows: readonly { line: string }[]): Uint8Array =>
    encoder.encode(rows.map(({ line }) => `${line}\n`).join(""));
  yield encode(first);
  for await (const rows of rest) yield encode(rows);
}

async function* sources(client: Client, accountId: string): AsyncGenerator<Entry, void> {
  const text = `
    select s.id, f.side, f.name, c.source from submission s
    cross join lateral (values ('', s.file_name, s.code_hash), ('rival/', s.rival_name, s.rival_hash)) as f (side, name, hash)
    join code c on c.hash = f.hash
    where s.account_id = $1::text and s.contents_deleted_at is null order by s.id, f.side`;
  type Row = { id: number; side: string; name: string; source: string };
  for await (const rows of batches<Row>(client, "export_sources", SOURCES, text, [accountId])) {
    for (const { id, side, name, source } of rows) {
      const path = `submissions/${id}/${side}${portableFileName(name)}`;
      yield { path, isCompressed: false, bytes: [encoder.encode(source)] };
    }
  }
}

async function* artifacts(client: Client, store: ObjectStore, accountId: string): AsyncGenerator<Entry, void> {
  const text = `
    select a.run_id, a.attempt, a.name, encode(a.hash, 'hex') as hash from artifact a join run r on r.id = a.run_id
    where r.account_id = $1::text and a.deleted_at is null order by a.run_id, a.attempt, a.name`;
  type Row = { run_id: number; attempt: number; name: string; hash: string };
  for await (const rows of batches<Row>(client, "export_artifacts", ROWS, text, [accountId])) {
    for (const { run_id, attempt, name, hash } of rows) {
      const bytes = await store.get(hash);
      if (bytes !== null) yield { path: `artifacts/${run_id}/${attempt}/${name}`, isCompressed: true, bytes };
    }
  }
}

function readme(name: string, tables: readonly PersonalTable[]): string {
  const missing = tables.filter(({ notExported }) => notExported !== undefined);
  return [
    `Data that this KernelBot server stores about the account ${name}, exported at ${new Date().toISOString()}.`,
    "",
    "submissions/ID/   sources of submissions; in a duel, rival/ is the other side",
    "artifacts/RUN/    files of runs, by attempt",
    "tables/           one file for each table of the database, one JSON object per line. Secrets, and what identifies",
    "                  other people, are left out:",
    "",
    ...tables
      .filter(({ notExported }) => notExported === undefined)
      .map(({ table, content }) => `  ${table}: ${content}`),
    "",
    "Not exported:",
    "",
    ...missing.map(({ table, content, notExported }) => `  ${table}: ${content} (${notExported})`),
    "",
  ].join("\n");
}
