import { sql } from "kysely";
import type { Database } from "../db/database.ts";

/** Longer than any throttle window. */
const THROTTLE_HOURS = 1;

/** Deletes expired sessions, sign-in and e-mail links, device codes, pending OAuth sign-ins, launches and registrations of platforms, and old throttle counters. */
export async function deleteExpiredSignIns({ db }: Database): Promise<void> {
  const now = sql<Date>`now()`;
  for (const table of [
    "session",
    "sign_in_link",
    "email_link",
    "oauth_state",
    "device_code",
    "lti_registration",
    "lti_login",
    "lti_launch",
    "lti_deep_link",
  ] as const) {
    await db.deleteFrom(table).where("expires_at", "<", now).execute();
  }
  await db
    .deleteFrom("throttle")
    .where("since", "<", sql<Date>`now() - make_interval(hours => ${THROTTLE_HOURS})`)
    .execute();
}
