/** Outcomes of backups and restore tests, which all servers of a database read. */
import { sql } from "kysely";
import type { BackupSummary } from "@kernelbot/core";
import type { Client } from "../../db/client.ts";
import type { Database } from "../../db/database.ts";

export type OutcomeKind = "backup" | "restore_test";

export interface Outcome {
  kind: OutcomeKind;
  /** Address of the backup. */
  address: string;
  /** Time of the database state in the backup; null if none was made. */
  takenAt: string | null;
  /** Why it failed; undefined where it succeeded. */
  error?: string;
}

export async function recordOutcome(client: Client, { kind, address, takenAt, error }: Outcome): Promise<void> {
  await client.query("insert into backup (kind, address, taken_at, error) values ($1, $2, $3, $4)", [
    kind,
    address,
    takenAt,
    error ?? null,
  ]);
}

/** Returns the newest outcomes. */
export async function readOutcomes({ db }: Pick<Database, "db">): Promise<BackupSummary> {
  const { rows } = await sql<OutcomesRow>`
    select
      (select max(taken_at) from backup where kind = 'backup' and error is null) as "takenAt",
      (select address from backup where kind = 'backup' and error is null order by taken_at desc limit 1) as address,
      (select error from backup where kind = 'backup' order by id desc limit 1) as "backupError",
      (select max(ended_at) from backup where kind = 'restore_test' and error is null) as "testedAt",
      (select error from backup where kind = 'restore_test' order by id desc limit 1) as "testError"`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("a query without a condition gave no row");
  const { takenAt, testedAt, ...rest } = row;
  return { ...rest, takenAt: takenAt?.toISOString() ?? null, testedAt: testedAt?.toISOString() ?? null };
}

type OutcomesRow = Omit<BackupSummary, "takenAt" | "testedAt"> & Record<"takenAt" | "testedAt", Date | null>;
