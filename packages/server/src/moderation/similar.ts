/** Search for similar sources by shared fingerprints. */
import { sql, type RawBuilder, type Transaction } from "kysely";
import type { SimilarSubmission } from "@kernelbot/core";
import { compute } from "../compute/pool.ts";
import type { Database } from "../db/database.ts";
import { storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { idempotent } from "../db/idempotent.ts";

/** Fingerprints with more sources than this get an estimated count. */
const COUNTED = 256;
/** Maximum number of (fingerprint, source) pairs that one search reads. */
const READ = 250_000;
/** Number of sources of each of the two orders that are compared completely. */
const COMPARED = 10;

/**
 * Stores the fingerprints of sources that have none yet, each in a transaction of its own. Where they cannot be computed,
 * the error is stored, and the source is tried again after at least 10 minutes.
 * @returns the number of processed sources.
 */
export async function storeFingerprints(database: Database, limit = 100): Promise<number> {
  let done = 0;
  while (done < limit && (await storeNext(database))) done += 1;
  return done;
}

/** Returns whether there was a source. */
async function storeNext({ db }: Database): Promise<boolean> {
  return runTransaction(idempotent(db), async (transaction) => {
    const next = await transaction
      .selectFrom("code")
      .select(["hash", "source"])
      .select(
        sql<string | null>`(select file_name from submission where code_hash = code.hash order by id limit 1)`.as(
          "name",
        ),
      )
      .where("fingerprinted", "=", false)
      .where("fingerprint_due_at", "<=", sql<Date>`clock_timestamp()`)
      .orderBy("fingerprint_due_at")
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (next === undefined) return false;
    const { hash, source, name } = next;
    const prints = await compute("fingerprints", { source, fileName: name ?? "" }).catch((error: unknown) =>
      String(error),
    );
    if (typeof prints === "string") {
      await sql`update code set fingerprint_error = ${storableText(prints)},
        fingerprint_due_at = clock_timestamp() + greatest('10 minutes', clock_timestamp() - created_at)
        where hash = ${hash}`.execute(transaction);
      return true;
    }
    await sql`
      insert into fingerprint (value, size, code)
      select value::integer, ${prints.length}::smallint, substring(${hash}::bytea for 8)
      from unnest(${prints}::bigint[]) as f (value)
      on conflict do nothing`.execute(transaction);
    const stored = { fingerprinted: true, fingerprint_error: null };
    await transaction.updateTable("code").set(stored).where("hash", "=", hash).execute();
    return true;
  });
}

/** Deletes the stored fingerprints of a source, which is about to be deleted. */
export async function forgetFingerprints(
  transaction: Transaction<Tables>,
  { hash, source, fileName }: { hash: Buffer; source: string; fileName: string },
): Promise<void> {
  const prints = await compute("fingerprints", { source, fileName });
  await sql`delete from fingerprint where value in (select value::integer from unnest(${prints}::bigint[]) as f (value))
    and code = substring(${hash}::bytea for 8)`.execute(transaction);
}

/**
 * Returns the most similar submissions of other accounts to the same problem, the most similar first. Only the first
 * submission of each source is considered. The first result includes a diff.
 * @returns null if the sources cannot be compared within the limits of a computation, or now; the reason is logged.
 */
export async function similarTo(
  database: Database,
  submissionId: number,
  shown = 3,
): Promise<SimilarSubmission[] | null> {
  try {
    return await findSimilar(database, submissionId, shown);
  } catch (error) {
    database.log(`submission ${submissionId} could not be compared with others: ${String(error)}`);
    return null;
  }
}

async function findSimilar({ db }: Database, submissionId: number, shown: number): Promise<SimilarSubmission[]> {
  const own = await db
    .selectFrom("submission")
    .innerJoin("code", "code.hash", "submission.code_hash")
    .select(["submission.account_id", "submission.problem", "submission.file_name", "code.source"])
    .where("submission.id", "=", submissionId)
    .executeTakeFirst();
  if (own === undefined || own.problem === null) return [];
  const named = { source: own.source, fileName: own.file_name };
  const prints = await compute("fingerprints", named);
  const { rows } = await candidates(own.problem, own.account_id, prints).execute(db);
  const { values, diff } = await compute("similarities", {
    own: named,
    others: rows.map(({ source, file_name: fileName }) => ({ source, fileName })),
  });
  return rows
    .map((row, at) => ({ ...row, likeness: values[at] ?? 0 }))
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, shown)
    .map((row, at) => ({
      submissionId: row.id,
      account: { id: row.account_id, name: row.name },
      fileName: row.file_name,
      earlier: row.id < submissionId,
      similarity: row.likeness,
      diff: at === 0 ? diff : null,
    }));
}

interface Candidate {
  id: number;
  account_id: string;
  name: string;
  file_name: string;
  source: string;
}

/**
 * SQL: the sources to compare completely, selected by two orders: the highest share of common fingerprints, and the
 * rarest common fingerprints, which finds sources that copied only a part.
 *
 * Fingerprints are read from the rarest on, with all sources of each, up to a limit of pairs. A source that shares any
 * fingerprint other than the frequent ones that were not read is thus a candidate: the prefix filter of S. Chaudhuri,
 * V. Ganti, R. Kaushik, A Primitive Operator for Similarity Joins in Data Cleaning, ICDE 2006. Counting a fingerprint's
 * sources is cheap too: their hashes are uniform, so the nth smallest one estimates the count (Z. Bar-Yossef et al.,
 * Counting Distinct Elements in a Data Stream, RANDOM 2002).
 */
function candidates(problem: string, accountId: string, prints: readonly number[]): RawBuilder<Candidate> {
  // Evaluated lazily in descending order until enough sources belong to another account's submission to this problem.
  const best = (order: RawBuilder<unknown>) => sql`
    select s.id, s.account_id, s.file_name, code.source
    from (select code from shared order by ${order} desc, code offset 0) as ordered
    cross join lateral (
      select source, hash from code
      where hash >= ordered.code and hash <= ordered.code || decode(repeat('ff', 24), 'hex') limit 1
    ) as code
    cross join lateral (
      select id, account_id, file_name from submission
      where code_hash = code.hash and problem = ${problem} and account_id <> ${accountId} and not is_evaluation
        and contents_deleted_at is null
      order by id limit 1
    ) as s
    limit ${COMPARED}::integer`;
  return sql`
    with counted as (
      select value, case when nth.position is null then few.count else (${COUNTED}::integer - 1) / nth.position end as sources
      from (select value::integer from unnest(${prints}::bigint[]) as f (value)) as mine
      left join lateral (
        select (1 + ('x' || encode(substring(code for 4), 'hex'))::bit(32)::bigint) / 2.0::float8 ^ 32 as position
        from fingerprint where value = mine.value order by code offset ${COUNTED}::integer - 1 limit 1
      ) as nth on true
      cross join lateral (
        select count(*) from (select from fingerprint where value = mine.value limit ${COUNTED}::integer) as f
      ) as few
    ), read as (
      select value, sources from (
        select value, sources, sum(sources) over (order by sources, value) as up_to from counted
      ) as summed
      where up_to <= ${READ}::integer or up_to = sources
    ), shared as materialized (
      select code, sum(1.0::float8 / sources) as weight,
        count(*) * ${prints.length}::float8 / (select count(*) from read) as common, min(size) as size
      from read cross join lateral (
        select code, size from fingerprint where value = read.value limit ${READ}::integer
      ) as f
      group by code
    )
    select found.*, account.name from (
      (${best(sql`least(common, size) / (${prints.length} + size - least(common, size))`)})
      union (${best(sql`weight`)})
    ) as found
    join account on account.id = found.account_id`;
}
