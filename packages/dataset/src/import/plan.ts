/** Preview of an import, computed by reading its files once before anything is sent. */
import { ImportedProblem, MIN_PLAUSIBLE_NS, type ImportHead } from "@kernelbot/core";
import { DatasetError } from "../error.ts";
import { openParquet, type ParquetFile } from "../parquet/file.ts";
import { readRows } from "../parquet/read.ts";
import type { Value } from "../parquet/values.ts";
import { readCorpus, targetOf, type CorpusRow, type Fault, type LeftOut } from "./corpus-rows.ts";

/** Maximum number of faults that are kept; all are counted. */
const KEPT_FAULTS = 1000;

export interface ImportPlan {
  problems: ImportedProblem[];
  targets: string[];
  users: number;
  rows: number;
  /** Importable rows by outcome. */
  passed: number;
  failed: number;
  cancelled: number;
  /** Ranked runs among the passed ones. */
  ranked: number;
  /** Ranked runs with an implausible time. */
  implausible: number;
  /** Ranked rows submitted outside the competition's dates: they are imported, but no board counts them. */
  outside: number;
  leftOut: Record<LeftOut, number>;
  /** Number of rows with a fault, and the first of their faults. */
  faulty: number;
  faults: Fault[];
}

export interface Progress {
  (done: number, total: number): void;
}

/**
 * Reads the files and returns the preview. @throws DatasetError when a file cannot be read, or has no rows with code.
 */
export async function planImport(
  files: readonly ParquetFile[],
  head: ImportHead,
  leaderboards: ReadonlyMap<number, Leaderboard>,
  { onProgress, signal }: { onProgress?: Progress | undefined; signal?: AbortSignal | undefined } = {},
): Promise<ImportPlan> {
  const plan: ImportPlan = {
    ...{ problems: [], targets: [], users: 0, rows: 0, passed: 0, failed: 0, cancelled: 0, ranked: 0 },
    ...{ implausible: 0, outside: 0, leftOut: { "without a run": 0, "not judged": 0 }, faulty: 0, faults: [] },
  };
  const total = files.reduce((sum, { rows }) => sum + rows, 0);
  const [users, targets] = [new Set<string>(), new Set<string>()];
  const names = new Map<number, string | null>();
  for (const file of files) {
    for await (const rows of readCorpus(file, signal)) {
      for (const read of rows) {
        plan.rows += 1;
        if ("leftOut" in read) plan.leftOut[read.leftOut] += 1;
        else if ("faults" in read) {
          plan.faulty += 1;
          plan.faults.push(...read.faults.slice(0, KEPT_FAULTS - plan.faults.length));
        } else {
          count(plan, read.row, head);
          users.add(read.row.userId);
          targets.add(read.row.target);
          names.set(read.row.problem, read.row.problemName);
        }
      }
      onProgress?.(plan.rows, total);
    }
  }
  plan.users = users.size;
  plan.targets = [...targets].toSorted();
  plan.problems = [...names]
    .toSorted(([a], [b]) => a - b)
    .map(([number, name]) => problemOf(number, name, leaderboards));
  return plan;
}

function count(plan: ImportPlan, { outcome, mode, timeNs, submittedAt }: CorpusRow, head: ImportHead): void {
  plan[outcome] += 1;
  if (mode !== "ranked" || outcome !== "passed" || timeNs === null) return;
  plan.ranked += 1;
  if (timeNs < MIN_PLAUSIBLE_NS) plan.implausible += 1;
  const at = Date.parse(submittedAt);
  if (at < Date.parse(head.startsAt) || at >= Date.parse(head.endsAt)) plan.outside += 1;
}

export interface Leaderboard {
  name: string;
  description: string;
  reference: string | null;
  targets: string[];
}

/** Reads `leaderboards.parquet`, by the problems' numbers. @throws DatasetError. */
export async function readLeaderboards(path: string): Promise<Map<number, Leaderboard>> {
  const columns = ["id", "name", "description", "reference", "gpu_types"];
  const found = new Map<number, Leaderboard>();
  for await (const row of readRows(await openParquet(path), { columns })) {
    const { id, name, description, reference, gpu_types: targets } = row;
    if (typeof id !== "number" || typeof name !== "string") {
      throw new DatasetError(`${path}: a row has no id or no name`);
    }
    found.set(id, {
      name,
      description: typeof description === "string" ? description : "",
      reference: typeof reference === "string" ? reference : null,
      targets: (Array.isArray(targets) ? targets : []).filter(isText).map(targetOf),
    });
  }
  return found;
}

function isText(value: Value): value is string {
  return typeof value === "string";
}

/** Returns the imported problem. @throws DatasetError when the file's data is not valid for a problem. */
function problemOf(
  number: number,
  name: string | null,
  leaderboards: ReadonlyMap<number, Leaderboard>,
): ImportedProblem {
  const known = leaderboards.get(number);
  const parsed = ImportedProblem.safeParse({
    number,
    name: problemName(name ?? known?.name ?? "") || `leaderboard-${number}`,
    description: known?.description ?? "",
    reference: known?.reference ?? null,
    targets: [...new Set(known?.targets)].toSorted(),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new DatasetError(`leaderboard ${number}: ${issue?.path.join(".")}: ${issue?.message}`);
}

/** Converts a text such as `AMD FP8 mm` to a valid problem name. */
function problemName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z0-9]+|-+$/g, "")
    .slice(0, 95);
}
