/** Finds problems of suites by their reference. */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";

const MAX_REMEMBERED = 10_000;
/** Names of problems by problem version and hash of the reference. A version never changes. */
const remembered = perDatabase(() => new Map<string, string>());

/**
 * Returns the problem of an installed suite whose reference model is this source, byte for byte; null if there is none.
 * If several suites have it, that of the first suite by name.
 */
export async function findSuiteProblem(database: Database, source: string): Promise<string | null> {
  const { rows: suites } = await sql<{ versions: string | null }>`
    select string_agg(version, ' ' order by name) as versions from kernelbench_suite`.execute(database.db);
  const key = `${suites[0]?.versions} ${createHash("sha256").update(source).digest("hex")}`;
  const memory = remembered(database);
  const known = memory.get(key);
  if (known !== undefined) return known;
  // Each task of KernelGYM may have another reference, so the version is found first, by its index.
  const { rows } = await sql<{ board: string }>`
    with version as materialized (select hash from problem_version where files ->> 'model.py' = ${source})
    select p.board from kernelbench_suite s
    join kernelbench_suite_problem p on p.suite_version = s.version
    join version v on v.hash = p.problem_version
    order by s.name, p.level, p.problem limit 1`.execute(database.db);
  const found = rows[0]?.board ?? null;
  if (found === null) return null;
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  memory.set(key, found);
  return found;
}
