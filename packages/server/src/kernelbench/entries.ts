/** KernelBench entries: the kernels of one model for a suite on a target, as submitted and shown. */
import {
  isSameHardware,
  kernelKeyText,
  requireSameHardware,
  type BaselineChoice,
  type KernelBenchEntry,
  type KernelBenchEntryFile,
  type KernelBenchEntrySummary,
  type KernelBenchFigures,
  type KernelResult,
} from "@kernelbot/core";
import { listedEntry, reachableEntry, type Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../auth/identity.ts";
import { requireOpenGate } from "../submissions/gate.ts";
import { checkKey } from "../submissions/request-checks.ts";
import { getChosenBaseline } from "./baselines.ts";
import { storeEntry, type UncheckedEntryRequest } from "./intake.ts";
import { readChangeNumbers } from "./kernels.ts";
import { numberOf } from "./hash-number.ts";
import { noEntry } from "./ownership.ts";
import { readEntryScores, scoresBy, type EntryScores } from "./scores.ts";
import { submitWaiting } from "./submitting.ts";

interface EntryOptions {
  /** A repeated request with the same key returns the first entry. */
  idempotencyKey?: string | undefined;
}

/**
 * Creates an entry. On return the entry is stored and its kernels are being submitted; kernels that cannot be submitted
 * yet are submitted later.
 * @throws KernelBotError as `storeEntry`; `forbidden`; `unavailable` while submissions are closed.
 */
export async function createEntry(
  database: Database,
  identity: Identity,
  request: UncheckedEntryRequest,
  { idempotencyKey }: EntryOptions = {},
): Promise<{ entry: KernelBenchEntrySummary; created: boolean }> {
  requireScope(identity, "submit");
  await requireOpenGate(database);
  if (idempotencyKey !== undefined) checkKey(idempotencyKey);
  const { id, created } = await storeEntry(database, identity, request, idempotencyKey);
  if (created) await submitWaiting(database, id);
  return { entry: await readSummary(database, identity, id), created };
}

export interface EntryFilter {
  suite?: string | undefined;
  target?: string | undefined;
  /** Baseline by which entries are scored and ordered; by default the eager model of the same session. */
  baseline?: BaselineChoice | undefined;
}

/**
 * Returns published entries and the viewer's own, best first: by correct rate, then Fast@1, then GeoMean. With a stored
 * baseline, only entries that were judged on its hardware.
 * @throws KernelBotError `not_found` when the stored baseline does not exist.
 */
export async function listEntries(
  database: Database,
  viewer: Viewer,
  filter: EntryFilter = {},
): Promise<KernelBenchEntrySummary[]> {
  return (await listWithResults(database, viewer, filter)).map(({ entry }) => entry);
}

/** Like `listEntries`, with the results of each entry. */
export async function listWithResults(
  database: Database,
  viewer: Viewer,
  filter: EntryFilter = {},
): Promise<{ entry: KernelBenchEntrySummary; results: KernelResult[] }[]> {
  const all = await listedRows(database, viewer, filter);
  const scoresById = await readEntryScores(database, all);
  const stored = await getChosenBaseline(database, filter.baseline);
  const rows = all.filter(({ id }) => stored === null || isSameHardware(stored, scoresById.get(id)?.hardware ?? []));
  const scores = await scoresBy(database, rows, scoresById, filter.baseline);
  return rows
    .map((row) => {
      const entryScores = scoresById.get(row.id) as EntryScores;
      const score = scores.get(row.id) ?? entryScores.score;
      return { entry: { ...summaryOf(row, entryScores), score }, results: entryScores.results };
    })
    .toSorted((a, b) => byScore(a.entry, b.entry));
}

/**
 * Returns an entry with all results, scored against the eager model of the same session or another baseline.
 * @throws KernelBotError `not_found` when the entry does not exist or is not visible to the viewer, or the stored
 * baseline does not exist; `unprocessable` when the entry was judged on other hardware than the stored baseline.
 */
export async function readEntry(
  database: Database,
  viewer: Viewer,
  id: number,
  baseline?: BaselineChoice,
): Promise<KernelBenchEntry> {
  const { row, entryScores } = await reachedEntry(database, viewer, id);
  const stored = await getChosenBaseline(database, baseline);
  if (stored !== null) requireSameHardware(stored, entryScores.hardware);
  const scores = await scoresBy(database, [row], new Map([[id, entryScores]]), baseline);
  return { ...summaryOf(row, entryScores), score: scores.get(id) ?? entryScores.score, results: entryScores.results };
}

/** Returns an entry without its results. @throws KernelBotError `not_found`. */
export async function readSummary(database: Database, viewer: Viewer, id: number): Promise<KernelBenchEntrySummary> {
  const { row, entryScores } = await reachedEntry(database, viewer, id);
  return summaryOf(row, entryScores);
}

/**
 * Returns the submission file of an entry, without kernels that were removed or whose source was deleted.
 * @throws KernelBotError `not_found`.
 */
export async function readEntryFile(database: Database, viewer: Viewer, id: number): Promise<KernelBenchEntryFile> {
  const { metadata } = await getEntry(database, viewer, id);
  const rows = await database.db
    .selectFrom("kernelbench_kernel as k")
    .innerJoin("code", "code.hash", "k.code_hash")
    .leftJoin("submission", "submission.id", "k.submission_id")
    .select(["k.level", "k.problem", "k.sample", "code.source"])
    .where("k.entry_id", "=", id)
    .where("submission.removed_at", "is", null)
    .where("code.deleted_bytes", "is", null)
    .orderBy("k.level")
    .orderBy("k.problem")
    .orderBy("k.sample")
    .execute();
  return { metadata, kernels: Object.fromEntries(rows.map((row) => [kernelKeyText(row), row.source])) };
}

/** Returns a number that changes whenever the page of an entry may change. @throws KernelBotError `not_found`. */
export async function readEntryChangeNumber(database: Database, viewer: Viewer, id: number): Promise<number> {
  const row = await getEntry(database, viewer, id);
  const changeNumbers = await readChangeNumbers(database, [id]);
  return 2 * (changeNumbers.get(id) ?? 0) + (row.published_at === null ? 0 : 1);
}

/** Returns a number that changes whenever a list of entries may change. */
export async function readListChangeNumber(database: Database, viewer: Viewer, filter: EntryFilter): Promise<number> {
  const rows = await listedRows(database, viewer, filter);
  const changeNumbers = await readChangeNumbers(
    database,
    rows.map(({ id }) => id),
  );
  return numberOf(rows.map(({ id, published_at: at }) => [id, at, changeNumbers.get(id)]));
}

function listedRows(database: Database, viewer: Viewer, { suite, target }: EntryFilter): Promise<EntryRow[]> {
  return entryRows(database)
    .where(listedEntry(viewer))
    .$if(suite !== undefined, (query) => query.where("v.name", "=", suite as string))
    .$if(target !== undefined, (query) => query.where("e.target", "=", target as string))
    .execute();
}

function entryRows({ db }: Database) {
  return db
    .selectFrom("kernelbench_entry as e")
    .innerJoin("account", "account.id", "e.account_id")
    .innerJoin("kernelbench_suite_version as v", "v.version", "e.suite_version")
    .select(["e.id", "e.account_id", "account.name as account_name", "v.name as suite", "e.suite_version", "e.target"])
    .select(["e.metadata", "e.compiled_baseline", "e.created_at", "e.published_at"])
    .orderBy("e.id");
}

type EntryRow = Awaited<ReturnType<ReturnType<typeof entryRows>["execute"]>>[number];

async function getEntry(database: Database, viewer: Viewer, id: number): Promise<EntryRow> {
  const row = await entryRows(database).where("e.id", "=", id).where(reachableEntry(viewer)).executeTakeFirst();
  if (row === undefined) throw noEntry(id);
  return row;
}

async function reachedEntry(
  database: Database,
  viewer: Viewer,
  id: number,
): Promise<{ row: EntryRow; entryScores: EntryScores }> {
  const row = await getEntry(database, viewer, id);
  const scoresById = await readEntryScores(database, [row]);
  return { row, entryScores: scoresById.get(id) as EntryScores };
}

function summaryOf(row: EntryRow, { progress, score }: EntryScores): KernelBenchEntrySummary {
  return {
    id: row.id,
    account: { id: row.account_id, name: row.account_name },
    suite: row.suite,
    suiteVersion: row.suite_version,
    target: row.target,
    metadata: row.metadata,
    createdAt: row.created_at.toISOString(),
    publishedAt: row.published_at?.toISOString() ?? null,
    compiledBaseline: row.compiled_baseline,
    progress,
    score,
  };
}

/** Entries with equal figures are ordered by id. */
function byScore(a: KernelBenchEntrySummary, b: KernelBenchEntrySummary): number {
  return (
    descending(a, b, ({ correct: { count, of } }) => (of === 0 ? 0 : count / of)) ||
    descending(a, b, fastAtOne) ||
    descending(a, b, ({ geoMean }) => geoMean ?? 0) ||
    a.id - b.id
  );
}

function descending(
  a: KernelBenchEntrySummary,
  b: KernelBenchEntrySummary,
  figure: (figures: KernelBenchFigures) => number,
): number {
  return figure(b.score.overall) - figure(a.score.overall);
}

function fastAtOne({ fast }: KernelBenchFigures): number {
  const share = fast.find(({ p }) => p === 1)?.atLeast;
  return share === undefined || share.of === 0 ? 0 : share.count / share.of;
}
