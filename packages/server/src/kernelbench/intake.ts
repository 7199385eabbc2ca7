/** Converts a submission file into a stored entry. */
import {
  byKernelKey,
  canonicalJson,
  checkEntry,
  KernelBotError,
  parseKernelKey,
  quote,
  sha256,
  type KernelBenchEntryFile,
  type KernelBenchEntryRequest,
  type KernelKey,
  type Suite,
} from "@kernelbot/core";
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { json, jsonText } from "../db/json.ts";
import { runTransaction } from "../db/transaction.ts";
import { idempotent } from "../db/idempotent.ts";
import { EntryRefused } from "./entry-refused.ts";
import { readSuite } from "./suites.ts";

type Kernel = KernelKey & { source: string; hash: string };

/** Request to create an entry, whose file is not checked yet. */
export type UncheckedEntryRequest = Omit<KernelBenchEntryRequest, "file"> & { file: unknown };

interface StoredEntry {
  id: number;
  /** False when the entry already existed. */
  created: boolean;
}

/**
 * Stores an entry and its kernels, without submitting any. Idempotent: the same request of the same account is the same
 * entry.
 * @throws KernelBotError `not_found` when the suite does not exist; `unprocessable` when the target is not one of the
 * suite's; EntryRefused with all faults of the file; `conflict` when the key was used for another request.
 */
export async function storeEntry(
  database: Database,
  identity: Identity,
  request: UncheckedEntryRequest,
  idempotencyKey: string | undefined,
): Promise<StoredEntry> {
  const suite = await readSuite(database, request.suite);
  checkTarget(suite, request.target);
  const { check, file } = checkEntry(request.file, suite);
  if (file === null) throw new EntryRefused(check.faults);
  const checked = { ...request, file };
  const hash = Buffer.from(await contentHash(checked, suite), "hex");
  const kernels = await kernelsOf(file);
  const created = await insertEntry(database, identity, checked, suite, kernels, hash, idempotencyKey);
  if (created !== null) return { id: created, created: true };
  const rows = await database.db
    .selectFrom("kernelbench_entry")
    .select(["id", "content_hash"])
    .where("account_id", "=", identity.account.id)
    .where((where) =>
      where.or([where("content_hash", "=", hash), where("idempotency_key", "=", idempotencyKey ?? null)]),
    )
    .execute();
  const other = rows.find((row) => !row.content_hash.equals(hash));
  if (other !== undefined) {
    throw new KernelBotError(
      "conflict",
      `the idempotency key ${quote(idempotencyKey ?? "")} was already used for another request, which created entry ${other.id}`,
    );
  }
  return { id: (rows[0] as { id: number }).id, created: false };
}

function checkTarget({ name, targets }: Suite, target: string): void {
  if (targets.includes(target)) return;
  throw new KernelBotError(
    "unprocessable",
    `the suite ${name} has no target ${quote(target)}; available: ${targets.join(", ")}`,
  );
}

async function kernelsOf(file: KernelBenchEntryFile): Promise<Kernel[]> {
  const kernels = Object.entries(file.kernels).flatMap(([text, source]) => {
    const key = parseKernelKey(text);
    return key === null ? [] : [{ ...key, source }];
  });
  return Promise.all(
    kernels.toSorted(byKernelKey).map(async (kernel) => ({ ...kernel, hash: await sha256(kernel.source) })),
  );
}

/** Returns the hash of the whole request. */
function contentHash({ target, file, compiledBaseline }: KernelBenchEntryRequest, { version }: Suite): Promise<string> {
  return sha256(canonicalJson({ suite: version, target, compiledBaseline, file }));
}

/**
 * Inserts an entry and its kernels.
 * @returns the id of the new entry; null when the same entry, or one with this key, exists.
 */
function insertEntry(
  { db }: Database,
  { account }: Identity,
  { target, file, compiledBaseline }: KernelBenchEntryRequest,
  suite: Suite,
  kernels: readonly Kernel[],
  contentHash: Buffer,
  idempotencyKey: string | undefined,
): Promise<number | null> {
  return runTransaction(idempotent(db), async (transaction) => {
    const entry = await transaction
      .insertInto("kernelbench_entry")
      .values({
        account_id: account.id,
        suite_version: suite.version,
        target,
        metadata: json(file.metadata),
        compiled_baseline: compiledBaseline,
        content_hash: contentHash,
        idempotency_key: idempotencyKey ?? null,
        due_at: new Date(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (entry === undefined) return null;
    await sql`
      insert into code (hash, source)
      select distinct on (1) decode(hash, 'hex'), source
      from json_to_recordset(${jsonText(kernels)}::text::json) as k (hash text, source text)
      order by 1 on conflict (hash) do update set source = excluded.source, deleted_bytes = null, fingerprinted = false
      where code.deleted_bytes is not null`.execute(transaction);
    // Without the sources, which are megabytes.
    const rows = jsonText(kernels.map(({ level, problem, sample, hash }) => ({ level, problem, sample, hash })));
    await sql`
      insert into kernelbench_kernel (entry_id, level, problem, sample, code_hash)
      select ${entry.id}::bigint, level, problem, sample, decode(hash, 'hex')
      from json_to_recordset(${rows}::text::json) as k (level integer, problem integer, sample integer, hash text)`.execute(
      transaction,
    );
    return entry.id;
  });
}
