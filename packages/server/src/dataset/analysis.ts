/**
 * Analyses of snapshots: computed once for each competition of a ready snapshot, and read by pages.
 *
 * Two servers may compute the same analysis; the result that is stored first is kept.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { ANALYSES, type AnalysisKind, type AnalysisTables, type ProgressStep } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { jsonText } from "../db/json.ts";
import { idempotent } from "../db/idempotent.ts";
import { dispositionOf } from "../db/retry.ts";
import { runTransaction } from "../db/transaction.ts";
import type { Analysed } from "./analysis-tables.ts";
import { folderOf } from "./snapshots.ts";
import { runThread } from "./thread.ts";

/** Interval at which servers look for snapshots to analyse, in milliseconds. */
export const ANALYSE_MS = 2000;
const ROWS_AT_ONCE = 200;

interface Next {
  id: number;
  competition: string;
}

/**
 * Analyses the competitions that have no analysis yet, newest snapshot first. Failures are stored too, so that they are
 * not retried, except those of an unavailable database.
 */
export async function analyseSnapshots(database: Database, directory: string, signal?: AbortSignal): Promise<void> {
  const isStopped = (): boolean => signal?.aborted === true;
  /** Snapshots of other servers, whose files are not on this one yet. */
  const away: number[] = [];
  for (;;) {
    const next = await nextToAnalyse(database, away);
    if (next === null || isStopped()) return;
    if (!existsSync(folderOf(directory, next.id))) {
      away.push(next.id);
      continue;
    }
    try {
      await store(database, next, await inThread(join(folderOf(directory, next.id), next.competition), signal));
    } catch (error) {
      if (isStopped()) return;
      // While the database is unavailable, the analysis itself has not failed.
      if (dispositionOf(error) === "fault") await storeFailure(database, next, error);
      throw error;
    }
  }
}

async function nextToAnalyse({ db }: Database, away: readonly number[]): Promise<Next | null> {
  const { rows } =
    await sql<Next>`select s.id, c.name as competition from dataset_snapshot s, unnest(s.competitions) as c (name)
      where s.state = 'ready' and s.files_deleted_at is null and s.id <> all(${away}::bigint[])
        and not exists (select from dataset_analysis a where a.snapshot_id = s.id and a.competition = c.name)
      order by s.id desc, c.name limit 1`.execute(db);
  return rows[0] ?? null;
}

async function inThread(folder: string, signal: AbortSignal | undefined): Promise<Analysed> {
  const analysed = await runThread(new URL("./analysis-thread.ts", import.meta.url), signal, { workerData: folder });
  if (analysed === undefined) throw new Error(`the analysis thread of ${folder} exited without a result`);
  return analysed as Analysed;
}

async function store({ db }: Database, { id, competition }: Next, { tables, progressions }: Analysed): Promise<void> {
  const key = { snapshot_id: id, competition };
  const stored = [
    ...Object.entries(tables).map(([kind, rows]) => ({ ...key, kind: kind as AnalysisKind, user_id: "", rows })),
    ...progressions.map(([userId, rows]) => ({ ...key, kind: "progression" as const, user_id: userId, rows })),
  ];
  await runTransaction(idempotent(db), async (transaction) => {
    const mine = await transaction
      .insertInto("dataset_analysis")
      .values({ ...key, message: null })
      .onConflict((conflict) => conflict.doNothing())
      .returning("competition")
      .executeTakeFirst();
    if (mine === undefined) return;
    for (let at = 0; at < stored.length; at += ROWS_AT_ONCE) {
      const values = stored
        .slice(at, at + ROWS_AT_ONCE)
        .map(({ rows, ...row }) => ({ ...row, rows: sql<never>`${jsonText(rows)}::text::json` }));
      await transaction.insertInto("dataset_table").values(values).execute();
    }
  });
}

async function storeFailure({ db }: Database, { id, competition }: Next, error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  await db
    .insertInto("dataset_analysis")
    .values({ snapshot_id: id, competition, message })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Returns the analyses of a competition; `none` before they are computed. Does not check visibility: the caller has
 * done so by `readSnapshot`.
 */
export async function readAnalysis(
  { db }: Database,
  id: number,
  competition: string,
): Promise<AnalysisTables | "none" | "failed"> {
  const analysis = await db
    .selectFrom("dataset_analysis")
    .select("message")
    .where("snapshot_id", "=", id)
    .where("competition", "=", competition)
    .executeTakeFirst();
  if (analysis === undefined) return "none";
  if (analysis.message !== null) return "failed";
  const rows = await db
    .selectFrom("dataset_table")
    .select(["kind", "rows"])
    .where("snapshot_id", "=", id)
    .where("competition", "=", competition)
    .where("user_id", "=", "")
    .execute();
  const tables = new Map(rows.map((row) => [row.kind, ANALYSES[row.kind].array().parse(row.rows)]));
  return Object.fromEntries(
    Object.keys(ANALYSES)
      .filter((kind) => kind !== "progression")
      .map((kind) => [kind, tables.get(kind as AnalysisKind) ?? []]),
  ) as unknown as AnalysisTables;
}

/** Returns the progress of a user; null when the data has no such user. */
export async function readProgression(
  { db }: Database,
  id: number,
  competition: string,
  userId: string,
): Promise<ProgressStep[] | null> {
  const row = await db
    .selectFrom("dataset_table")
    .select("rows")
    .where("snapshot_id", "=", id)
    .where("competition", "=", competition)
    .where("kind", "=", "progression")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row === undefined ? null : ANALYSES.progression.array().parse(row.rows);
}
