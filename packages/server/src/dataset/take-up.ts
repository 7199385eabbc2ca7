/** The step in which submissions become published, together with the snapshot that has them. */
import type { Client } from "../db/client.ts";
import type { Pseudonyms } from "./pseudonyms.ts";

/** Whether a submission of the selection is not any more what it was when its rows were written. */
const CHANGED = `
select exists (select from (select distinct submission_id, licence, anonymous from snapshot_run) t
  join submission s on s.id = t.submission_id join account a on a.id = s.account_id
  where s.licence is distinct from t.licence or s.removed_at is not null or a.banned_at is not null
    or coalesce(s.anonymous, a.anonymous) <> t.anonymous) as changed`;

/**
 * Publishes the submissions of the selection and does the rest of the step, or nothing at all.
 * @returns false where one of them has changed since it was selected: its author may have taken his consent back.
 */
export async function takeUp(client: Client, pseudonyms: Pseudonyms, rest: () => Promise<void>): Promise<boolean> {
  await client.query("begin");
  try {
    await publish(client, pseudonyms);
    // From here on their licences stay: who would change one waits for the end of this.
    const [row] = await client.query(CHANGED);
    if (row?.["changed"] === true) {
      await client.query("rollback");
      return false;
    }
    await rest();
    await client.query("commit");
    return true;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

/** With the numbers under which they are known from now on. */
async function publish(client: Client, pseudonyms: Pseudonyms): Promise<void> {
  await client.query(
    `insert into dataset_number (number, submission_id)
      select distinct submission_id, submission_id from snapshot_run where not anonymous on conflict do nothing`,
  );
  const rows = await client.query("select distinct submission_id as id from snapshot_run where anonymous");
  const ids = Array.from(rows as unknown as { id: number }[], ({ id }) => id);
  const numbers = ids.map((id) => pseudonyms.number("submission", id));
  await client.query(
    `insert into dataset_number (number, submission_id)
      select * from unnest($1::bigint[], $2::bigint[]) on conflict do nothing`,
    [numbers as never, ids as never],
  );
}
