/**
 * Recognises databases and backups of the versions before the first release. These applied up to 43 migrations, numbered
 * 0001_accounts.sql to 0062_reruns_by_submission.sql. The last one left the same tables as the schema of the first release.
 */
import { KernelBotError } from "@kernelbot/core";

const FIRST_NAME = "0001_accounts.sql";

export const LAST_UNRELEASED = 62;

/**
 * Refuses a database of an unreleased version.
 * @param applied The applied migrations by number.
 * @throws KernelBotError `unavailable` that says how to move the data of an unreleased version.
 */
export function refuseUnreleased(applied: ReadonlyMap<number, { name: string }>): void {
  if (applied.get(1)?.name !== FIRST_NAME) return;
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

/**
 * Refuses a database that was created from another state of the schema files: before the first release they change
 * without migrations.
 * @param created SHA-256 of the schema that created the database; null if the database is older than this record.
 * @throws KernelBotError `unavailable` that says how to move the data.
 */
export function refuseOtherSchema(created: string | null, current: string): void {
  if (created === current) return;
  throw new KernelBotError(
    "unavailable",
    `the database was created with schema ${created?.slice(0, 12) ?? "of an earlier version"}, but this version of KernelBot has ` +
      `schema ${current.slice(0, 12)}, and no migration leads from one to the other before the first release; to move its ` +
      'data, stop the server, back it up ("kernelbot-server backup --to FOLDER") and restore the backup into an empty data ' +
      'directory ("kernelbot-server restore --from FOLDER --data DIRECTORY"); to start without it, name an empty one ("--data DIRECTORY")',
  );
}
