/** Submissions of earlier passes that were disqualified or deleted at the source since, or that count there again. */
import { sql } from "kysely";
import { audit } from "@kernelbot/server/src/auth/audit.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { disqualification } from "./convert.ts";
import type { Destination } from "./destination.ts";
import type { SubmissionState } from "./source.ts";

interface Removals {
  destination: Destination;
  identity: Identity;
  source: string;
}

/** Submissions here by their numbers at the source. */
const adopted = (source: string) => sql`
  select distinct i.submission_number as number, r.submission_id as id from imported_run i join run r on r.id = i.run_id
  where i.source = ${source}`;

const numbersIn = (states: readonly SubmissionState[]) => sql`
  select value::bigint from json_array_elements_text(${JSON.stringify(states.map(({ id }) => id))}::text::json)`;

/** Counts the submissions that the source no longer has, and that are not removed here. */
export async function countMissing(
  { destination, source }: Removals,
  states: readonly SubmissionState[],
): Promise<number> {
  const { rows } = await sql<{ missing: number }>`
    select count(*)::integer as missing from (${adopted(source)}) here join submission s on s.id = here.id
    where s.removed_at is null and number not in (${numbersIn(states)})`.execute(destination.db);
  return rows[0]?.missing ?? 0;
}

/** Removes submissions that were disqualified or deleted at the source. @returns their number. */
export function removeSubmissions(
  { destination, identity, source }: Removals,
  states: readonly SubmissionState[],
): Promise<number> {
  const disqualified = states.flatMap((state) => {
    const reason = disqualification(state);
    return reason === null ? [] : [{ number: state.id, reason }];
  });
  return destination.step(async (transaction) => {
    const { rows } = await sql<{ id: number }>`
      with here as materialized (${adopted(source)}), gone as (
        select id, null as reason from here where number not in (${numbersIn(states)})
        union all
        select here.id, d.reason from here join json_to_recordset(${JSON.stringify(disqualified)}::text::json) as d (number bigint, reason text)
          using (number)
      )
      update submission s set removed_at = now(), removed_by = case when gone.reason is null then s.account_id else ${identity.account.id} end,
        removal_reason = gone.reason
      from gone where s.id = gone.id and s.removed_at is null
      returning s.id`.execute(transaction);
    if (rows.length > 0)
      await audit(transaction, identity, "remove", subjectOf(source), { submissions: rows.map(({ id }) => id) });
    return rows.length;
  });
}

/**
 * Restores submissions that a pass removed, if the source has them and no longer disqualifies them. Those that their
 * owner or a moderator removed here stay removed.
 * @returns their number.
 */
export function restoreSubmissions(
  { destination, identity, source }: Removals,
  states: readonly SubmissionState[],
): Promise<number> {
  const counting = states.filter((state) => disqualification(state) === null);
  return destination.step(async (transaction) => {
    const { rows } = await sql<{ id: number }>`
      with here as materialized (${adopted(source)}), removed_by_a_pass as (
        select value::bigint as id from audit, json_array_elements_text(detail -> 'submissions')
        where act = 'remove' and subject = ${subjectOf(source)}
      )
      update submission s set removed_at = null, removed_by = null, removal_reason = null
      from here where s.id = here.id and s.removed_at is not null and here.number in (${numbersIn(counting)})
        and case when s.removal_reason is null then s.removed_by = s.account_id and s.id in (select id from removed_by_a_pass)
          else s.removed_by = ${identity.account.id} and s.removal_reason like 'marked as hacked%' end
      returning s.id`.execute(transaction);
    if (rows.length > 0)
      await audit(transaction, identity, "restore", subjectOf(source), { submissions: rows.map(({ id }) => id) });
    return rows.length;
  });
}

function subjectOf(source: string): string {
  return `source ${source}`;
}
