/** Confusable names: a new name must not look like that of another account or team. */
import { sql, type Kysely, type Transaction } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import unhomoglyph from "unhomoglyph";
import type { Database } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";

type Handle = Kysely<Tables> | Transaction<Tables>;

/**
 * Returns the name with each character replaced by its prototype in Unicode's table of confusables (UTS 39). Two names
 * with the same skeleton look alike, whatever their case.
 */
export function skeletonOf(name: string): string {
  return prototypes(prototypes(name.normalize("NFKC")).toLowerCase());
}

function prototypes(text: string): string {
  return unhomoglyph(text.normalize("NFD")).normalize("NFD");
}

/** Returns the columns that store a name. */
export function nameColumns(name: string): { name: string; name_skeleton: string } {
  return { name, name_skeleton: skeletonOf(name) };
}

/** Returns the name of another account that looks like this one, or null. An equal name is not a look-alike. */
export async function lookalikeOf(db: Handle, name: string, ownId: string | null = null): Promise<string | null> {
  const row = await db
    .selectFrom("account")
    .select("name")
    .where("name_skeleton", "=", skeletonOf(name))
    .where(sql<boolean>`name_key(name) <> name_key(${name})`)
    .$if(ownId !== null, (query) => query.where("id", "<>", ownId ?? ""))
    .limit(1)
    .executeTakeFirst();
  return row?.name ?? null;
}

/**
 * Checks that a name does not look like that of another account.
 * @throws KernelBotError `conflict`.
 */
export async function requireDistinct(db: Handle, name: string, ownId: string | null = null): Promise<void> {
  const other = await lookalikeOf(db, name, ownId);
  if (other !== null) throw looksLike(name, `the account ${quote(other)}`);
}

/**
 * Checks that a name does not look like that of another team of the competition.
 * @throws KernelBotError `conflict`.
 */
export async function requireDistinctTeam(
  db: Handle,
  competition: string,
  name: string,
  ownId: number | null,
): Promise<void> {
  const other = await db
    .selectFrom("team")
    .select("name")
    .where("competition", "=", competition)
    .where("name_skeleton", "=", skeletonOf(name))
    .where(sql<boolean>`name_key(name) <> name_key(${name})`)
    .$if(ownId !== null, (query) => query.where("id", "<>", ownId ?? 0))
    .limit(1)
    .executeTakeFirst();
  if (other !== undefined) throw looksLike(name, `the team ${quote(other.name)}`);
}

function looksLike(name: string, whose: string): KernelBotError {
  return new KernelBotError("conflict", `the name ${quote(name)} looks like that of ${whose}; choose another name`);
}

const BATCH = 1000;

/** Stores the skeletons of names that were created before skeletons were stored. */
export async function fillSkeletons({ db }: Database): Promise<void> {
  for (const table of ["account", "team"] as const) {
    for (;;) {
      const rows = await db
        .selectFrom(table)
        .select(["id", "name"])
        .where("name_skeleton", "is", null)
        .limit(BATCH)
        .execute();
      if (rows.length === 0) break;
      const ids = rows.map(({ id }) => String(id));
      const skeletons = rows.map(({ name }) => skeletonOf(name));
      await sql`update ${sql.table(table)} t set name_skeleton = s.skeleton
        from unnest(${ids}::text[], ${skeletons}::text[]) as s (id, skeleton) where t.id::text = s.id`.execute(db);
    }
  }
}
