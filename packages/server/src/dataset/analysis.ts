/**
 * Analyses of snapshots: computed once for each competition of a ready snapshot, and read by pages.
 *
 * A server leases the analysis that it computes. If the server ends, another one computes it once the lease has expired.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sql, type Kysely } from "kysely";
import { ANALYSES, type AnalysisKind, type AnalysisTables } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { jsonText } from "../db/json.ts";
import { idempotent } from "../db/idempotent.ts";
import { dispositionOf } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { workOffDue } from "../jobs/workers.ts";
import { folderOf } from "./snapshots.ts";
import { runThread } from "./thread.ts";

/** Interval at which servers look for snapshots to analyse, in milliseconds. */
export const ANALYSE_MS = 2000;

/** Duration of a lease. If an analysis takes longer, another server computes it too; the first stored result is kept. */
const LEASE_MS = 1_800_000;
/** Time after which an analysis that is still running is logged. */
const SLOW_MS = 600_000;

interface Analysis {
  id: number;
  competition: string;
}

/**
 * Analyses the competitions that have no analysis yet, newest snapshot first. Failures are stored too, so that they are
 * not retried, except those of an unavailable database.
 */
export async function analyseSnapshots(
  database: Database,
  directory: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  await workOffDue({
    name: "analysing a snapshot",
    slowMs: SLOW_MS,
    claim: () => claimAnalysis(database, directory),
    async work(row) {
      try {
        await store(database, row, await inThread(join(folderOf(directory, row.id), row.competition), signal));
      } catch (error) {
        // While the database is unavailable, the analysis itself has not failed.
        if (!signal.aborted && dispositionOf(error) === "fault") return storeFailure(database, row, error);
        await releaseAnalysis(database, row);
        throw error;
      }
    },
    signal,
    log: database.log,
  });
}

/** Leases the next analysis of a snapshot whose files are on this server. */
async function claimAnalysis({ db }: Database, directory: string): Promise<Analysis | undefined> {
  const folders = await readdir(directory).catch(() => []);
  const here = folders.filter((name) => /^\d+$/.test(name)).map(Number);
  const { rows } = await sql<Analysis>`
    insert into dataset_analysis as a (snapshot_id, competition, lease_until)
      select s.id, c.name, clock_timestamp() + make_interval(secs => ${LEASE_MS / 1000})
      from dataset_snapshot s cross join unnest(s.competitions) as c (name)
      left join dataset_analysis known on known.snapshot_id = s.id and known.competition = c.name
      where s.state = 'ready' and s.files_deleted_at is null and s.id = any(${here}::bigint[])
        and (known.snapshot_id is null or known.lease_until < clock_timestamp())
      order by s.id desc, c.name limit 1
    on conflict (snapshot_id, competition) do update set lease_until = excluded.lease_until
      where a.lease_until < clock_timestamp()
    returning snapshot_id as id, competition`.execute(db);
  return rows[0];
}

/** Ends the lease of an analysis that is to be computed again. */
async function releaseAnalysis({ db }: Database, { id, competition }: Analysis): Promise<void> {
  await idempotent(db)
    .deleteFrom("dataset_analysis")
    .where("snapshot_id", "=", id)
    .where("competition", "=", competition)
    .where("finished_at", "is", null)
    .execute();
}

async function inThread(folder: string, signal: AbortSignal): Promise<AnalysisTables> {
  const analysed = await runThread(new URL("./analysis-thread.ts", import.meta.url), signal, { workerData: folder });
  if (analysed === undefined) throw new Error(`the analysis thread of ${folder} exited without a result`);
  return analysed as AnalysisTables;
}

async function store({ db }: Database, { id, competition }: Analysis, tables: AnalysisTables): Promise<void> {
  const key = { snapshot_id: id, competition };
  const values = Object.entries(tables).map(([kind, rows]) => ({
    ...key,
    kind: kind as AnalysisKind,
    rows: sql<never>`${jsonText(rows)}::text::json`,
  }));
  await runTransaction(idempotent(db), async (transaction) => {
    if (await finish(transaction, key, null)) await transaction.insertInto("dataset_table").values(values).execute();
  });
}

async function storeFailure({ db }: Database, { id, competition }: Analysis, error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  await finish(idempotent(db), { snapshot_id: id, competition }, message);
}

/** Marks an analysis as finished. @returns false if it was finished before. */
async function finish(
  db: Kysely<Tables>,
  { snapshot_id: id, competition }: { snapshot_id: number; competition: string },
  message: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("dataset_analysis")
    .set({ finished_at: sql<Date>`clock_timestamp()`, message, lease_until: null })
    .where("snapshot_id", "=", id)
    .where("competition", "=", competition)
    .where("finished_at", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
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
    .where("finished_at", "is not", null)
    .executeTakeFirst();
  if (analysis === undefined) return "none";
  if (analysis.message !== null) return "failed";
  const rows = await db
    .selectFrom("dataset_table")
    .select(["kind", "rows"])
    .where("snapshot_id", "=", id)
    .where("competition", "=", competition)
    .execute();
  const tables = new Map(rows.map((row) => [row.kind, ANALYSES[row.kind].array().parse(row.rows)]));
  return Object.fromEntries(
    Object.keys(ANALYSES).map((kind) => [kind, tables.get(kind as AnalysisKind) ?? []]),
  ) as unknown as AnalysisTables;
}
