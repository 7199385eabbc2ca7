/** Publishes submissions together with the snapshot that contains them, in one transaction. */
import type { Client } from "../db/client.ts";
import type { Pseudonyms } from "./pseudonyms.ts";

/** SQL that returns whether a selected submission changed after its rows were written. */
const CHANGED = `
select exists (select from (select distinct submission_id, licence, anonymous from snapshot_run) t
  join submission s on s.id = t.submission_id join account a on a.id = s.account_id
  where s.licence is distinct from t.licence or s.removed_at is not null or a.banned_at is not null
    or is_anonymous(s.anonymous, a.anonymous, s.problem) <> t.anonymous) as changed`;

/**
 * Marks the selected submissions as published and runs the rest of the step, or does nothing.
 * @returns false when a submission changed since the selection, for example because its author withdrew the licence.
 */
export async function publishSelected(
  client: Client,
  pseudonyms: Pseudonyms,
  rest: () => Promise<void>,
): Promise<boolean> {
  await client.query("begin");
  try {
    await publish(client, pseudonyms);
    // From here on licences cannot change: updates wait for the end of this transaction.
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

/** Stores the published ids of the submissions. */
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
