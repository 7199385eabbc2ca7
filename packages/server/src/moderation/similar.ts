/** Sources that are much like another one, found by the fingerprints that they share. */
import { sql } from "kysely";
import { diffSources, fingerprintsOf, languageOf, similarity, tokensOf, type Similar } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";

/** A fingerprint in more sources than this is common property: it counts as one that so many have. */
const COMMON = 500;
/** Sources that share the most and are then compared whole. */
const COMPARED = 10;

/**
 * Stores the fingerprints of sources that have none yet.
 * @returns of how many sources.
 */
export async function storeFingerprints({ db }: Database, limit = 100): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const sources = await transaction
      .selectFrom("code")
      .select(["hash", "source"])
      .select(
        sql<string | null>`(select file_name from submission where code_hash = code.hash order by id limit 1)`.as(
          "name",
        ),
      )
      .where("fingerprinted", "=", false)
      .orderBy("created_at")
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute();
    for (const { hash, source, name } of sources) {
      const prints = fingerprintsOf(tokensOf(source, languageOf(name ?? "") ?? "py"));
      await sql`
        insert into fingerprint (value, code)
        select value::integer, substring(${hash}::bytea for 8) from unnest(${prints}::bigint[]) as f (value)
        on conflict do nothing`.execute(transaction);
      await transaction.updateTable("code").set({ fingerprinted: true }).where("hash", "=", hash).execute();
    }
    return sources.length;
  });
}

/**
 * The submissions of other accounts to the same problem whose sources are most like this one's, the nearest first; of a
 * source that was handed in several times, the first. The nearest comes with the difference.
 */
export async function similarTo({ db }: Database, submissionId: number, shown = 3): Promise<Similar[]> {
  const own = await retrying(() =>
    db
      .selectFrom("submission")
      .innerJoin("code", "code.hash", "submission.code_hash")
      .select(["submission.account_id", "submission.problem", "submission.file_name", "code.source"])
      .where("submission.id", "=", submissionId)
      .executeTakeFirst(),
  );
  if (own === undefined) return [];
  const tokens = tokensOf(own.source, languageOf(own.file_name) ?? "py");
  const { rows } = await retrying(() =>
    sql<{ id: number; account_id: string; name: string; file_name: string; source: string }>`
      with shared as (
        select f.code, sum(1.0 / f.sources) as weight
        from unnest(${fingerprintsOf(tokens)}::bigint[]) as mine (value) cross join lateral (
          select code, count(*) over () as sources
          from (select code from fingerprint where value = mine.value::integer limit ${COMMON}::integer) as capped
        ) as f
        group by f.code
      )
      select s.id, s.account_id, account.name, s.file_name, code.source
      from shared
      join code on code.hash >= shared.code and code.hash <= shared.code || decode(repeat('ff', 24), 'hex')
      join lateral (
        select id, account_id, file_name from submission
        where code_hash = code.hash and problem = ${own.problem} and account_id <> ${own.account_id}
        order by id limit 1
      ) as s on true
      join account on account.id = s.account_id
      order by weight desc, s.id limit ${COMPARED}::integer
    `.execute(db),
  );
  return rows
    .map((row) => ({ ...row, likeness: similarity(tokens, tokensOf(row.source, languageOf(row.file_name) ?? "py")) }))
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, shown)
    .map((row, at) => ({
      submissionId: row.id,
      account: { id: row.account_id, name: row.name },
      fileName: row.file_name,
      earlier: row.id < submissionId,
      similarity: row.likeness,
      diff: at === 0 ? diffSources(row.source, own.source) : null,
    }));
}
