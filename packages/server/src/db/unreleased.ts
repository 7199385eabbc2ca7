/**
 * Recognises databases and backups of the versions before the first release. These applied up to 43 migrations, numbered
 * 0001_accounts.sql to 0062_reruns_by_submission.sql. The last one left the same tables as the schema of the first release.
 */
import { KernelBotError } from "@kernelbot/core";

const FIRST_NAME = "0001_accounts.sql";

export const LAST_UNRELEASED = 62;

/**
 * Refuses a database of an unreleased version.
 * @param applied The names of the applied migrations by number.
 * @throws KernelBotError `unavailable` that says how to move the data of an unreleased version.
 */
export function refuseUnreleased(applied: ReadonlyMap<number, string>): void {
  if (applied.get(1) !== FIRST_NAME) return;
  const newest = Math.max(...applied.keys());
  const update =
    newest < LAST_UNRELEASED ? `start the last unreleased version (migration ${LAST_UNRELEASED}) on it once, ` : "";
  throw new KernelBotError(
    "unavailable",
    `the database was created by an unreleased version of KernelBot (migration ${newest}); to move its data, ${update}` +
      'back it up with that version ("kernelbot-server backup --to FOLDER") and restore the backup with this one into an ' +
      'empty data directory or database ("kernelbot-server restore --from FOLDER")',
  );
}
