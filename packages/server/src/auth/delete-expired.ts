import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { deleteExpired } from "../db/delete-expired.ts";

/** Longer than any throttle window. */
const THROTTLE_HOURS = 1;

/** Deletes expired sessions, sign-in and e-mail links, device codes, pending OAuth sign-ins, and old throttle counters. */
export async function deleteExpiredSignIns(database: Database): Promise<void> {
  await deleteExpired(database, ["session", "sign_in_link", "email_link", "oauth_state", "device_code"]);
  await database.db
    .deleteFrom("throttle")
    .where("since", "<", sql<Date>`now() - make_interval(hours => ${THROTTLE_HOURS})`)
    .execute();
}
