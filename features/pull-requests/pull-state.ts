/** The stored state of pull requests and of their entries. */
import type { Selectable, Updateable } from "kysely";
import type { KernelBenchEntrySummary } from "@kernelbot/core";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import type { Evaluation } from "./evaluation.ts";
import type { GitHub, Installation, PullAddress } from "./github.ts";
import { pullAddress } from "./github.ts";
import type { PullRow } from "./queue.ts";

export type EntryRow = Selectable<Tables["kernelbench_pull_entry"]>;

/** Services used by the work on pull requests. */
export interface Tools {
  database: Database;
  github: GitHub;
  evaluation: Evaluation;
  /** Public base URL of the server. */
  publicUrl: string;
}

/** The work on one pull request. */
export interface Work extends Tools {
  pull: PullRow;
  address: PullAddress;
  api: Installation;
}

export function workOn(tools: Tools, pull: PullRow): Work {
  const { repository, number, installation_id } = pull;
  return { ...tools, pull, address: pullAddress(repository, number), api: tools.github(installation_id) };
}

/** Stores changed fields of the pull request. @returns the work with the new row. */
export async function updatePull(work: Work, change: Updateable<Tables["kernelbench_pull"]>): Promise<Work> {
  const pull = await work.database.db
    .updateTable("kernelbench_pull")
    .set(change)
    .where("id", "=", work.pull.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...work, pull };
}

/** Returns the entries of the pull request, ordered by path. */
export async function entriesOf({ database, pull }: Work, only: { current: boolean }): Promise<EntryRow[]> {
  return database.db
    .selectFrom("kernelbench_pull_entry")
    .selectAll()
    .where("pull_id", "=", pull.id)
    .$if(only.current, (query) => query.where("is_current", "=", true))
    .orderBy("path")
    .orderBy("entry_id")
    .execute();
}

/** Returns whether another pull request that is being evaluated has the same entry. */
export async function isNeededByOtherPull({ database, pull }: Work, entryId: number): Promise<boolean> {
  const other = await database.db
    .selectFrom("kernelbench_pull_entry as e")
    .innerJoin("kernelbench_pull as p", "p.id", "e.pull_id")
    .select("p.id")
    .where("e.entry_id", "=", entryId)
    .where("e.is_current", "=", true)
    .where("p.id", "!=", pull.id)
    .where("p.state", "=", "evaluating")
    .executeTakeFirst();
  return other !== undefined;
}

/** Stores the file and commit of an entry, and marks the entry as current (shown in the comment). */
export async function storeEntry(
  { database, pull }: Work,
  entry: { entryId: number; path: string; blobSha: string; headSha: string },
): Promise<void> {
  const now = { head_sha: entry.headSha, is_current: true, is_merged: null };
  await database.db
    .insertInto("kernelbench_pull_entry")
    .values({ entry_id: entry.entryId, pull_id: pull.id, path: entry.path, blob_sha: entry.blobSha, ...now })
    .onConflict((conflict) => conflict.columns(["pull_id", "path", "entry_id"]).doUpdateSet(now))
    .execute();
}

export async function updateEntry(
  { database }: Work,
  { pull_id, path, entry_id }: EntryRow,
  change: Updateable<Tables["kernelbench_pull_entry"]>,
): Promise<void> {
  await database.db
    .updateTable("kernelbench_pull_entry")
    .set(change)
    .where("pull_id", "=", pull_id)
    .where("path", "=", path)
    .where("entry_id", "=", entry_id)
    .execute();
}

/** Row of a pull request's entry, with the entry. */
export interface EntryStatus {
  row: EntryRow;
  entry: KernelBenchEntrySummary;
  /** Whether kernels are not judged and none is queued or running, so that the entry has to be resumed. */
  isStopped: boolean;
}

export async function readEntries({ evaluation }: Work, rows: readonly EntryRow[]): Promise<EntryStatus[]> {
  const followed: EntryStatus[] = [];
  for (const row of rows) followed.push({ row, ...(await evaluation.read(row.entry_id)) });
  return followed;
}
