/** Detects whether another snapshot of the same competitions would differ, without making it. */
import { CompiledQuery, type Transaction } from "kysely";
import type { Tables } from "../db/tables.ts";
import { RUNS } from "./selection.ts";

/**
 * SQL of everything that can change after a competition has ended: its runs, verdicts, licences, accounts, names and
 * titles, and the results of applications, which run for the first entries of a closed board.
 */
const RUN = `concat_ws('|', r.id, r.state, r.verdict, r.time_ns, s.licence, is_anonymous(s.anonymous, a.anonymous, s.problem), a.id, a.name)`;
const FINGERPRINT = `
select concat_ws(' ', count(*), sum(hashtextextended(${RUN}, 0)),
  (select md5(string_agg(concat_ws('|', c.name, c.title, c.starts_at, c.ends_at, p.name, p.version), '|' order by c.name, p.name))
    from competition c left join problem p on p.competition = c.name and p.suite is null
    where c.name = any($1::text[])),
  (select sum(hashtextextended(concat_ws('|', encode(a.code_hash, 'hex'), a.language, a.problem_version, a.target, a.checked_at), 0))
    from application_result a join problem_version v on v.hash = a.problem_version join problem p on p.name = v.problem
    where p.competition = any($1::text[]) and p.suite is null)) as fingerprint
${RUNS}`;

/**
 * Returns a text that is equal as long as a snapshot of these competitions would have the same rows. One query, no
 * files.
 */
export async function fingerprintOf(
  transaction: Transaction<Tables>,
  competitions: readonly string[],
): Promise<string> {
  const query = CompiledQuery.raw(FINGERPRINT, [competitions]);
  const { rows } = await transaction.executeQuery<{ fingerprint: string }>(query);
  return rows[0]?.fingerprint ?? "";
}
