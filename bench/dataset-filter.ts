import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  openDataset,
  kernelRows,
  openTable,
  readRows,
  querySql,
  TOP_FIELDS,
  type Row,
} from "../packages/dataset/src/index.ts";
import { temporaryDataDir } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";

const ROWS = 231_000;
const PROBLEMS = 42;
const REPETITIONS = 21;

/** Returns the facts of the nth run, as the exporter writes them. Runs of a problem are consecutive. */
function factsOf(n: number): Row<"submissions"> {
  const id = BigInt(n + 1);
  const at = BigInt(1_770_000_000_000_000 + n * 1_000_000);
  const hash = (Math.imul(n, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0").repeat(8);
  const passed = n % 3 !== 0;
  return {
    submission_id: id,
    run_id: id,
    rerun: 0,
    competition: "bench",
    problem_id: BigInt(problemOf(n)),
    problem: `problem-${problemOf(n)}`,
    problem_version: "5".repeat(64),
    target: "B200",
    user_id: `account-${Math.imul(n, 7919) >>> 22}`,
    user_name: `contestant ${Math.imul(n, 7919) >>> 22}`,
    anonymous: false,
    author_kind: "human",
    model: null,
    licence: "CC-BY-4.0",
    mode: "ranked",
    file_name: "submission.py",
    code_id: BigInt(`0x${hash.slice(0, 16)}`) >> 1n,
    code_sha256: hash,
    code_bytes: 9800,
    submitted_at: at,
    started_at: at,
    finished_at: at,
    attempts: 1,
    state: "done",
    verdict: passed ? "passed" : "failed",
    failure_class: passed ? null : "timeout",
    score_ns: passed ? 10_000 + (Math.imul(n, 0x85ebca6b) >>> 12) : null,
    score_low_ns: null,
    score_high_ns: null,
    speedup: passed ? 1.5 : null,
    speedup_low: null,
    speedup_high: null,
    ranked_by: null,
    ranked_value: null,
    ranked_low: null,
    ranked_high: null,
    noisy: false,
    place: null,
    successful: passed,
    gives_score: passed,
    deduplicated: true,
    device: "NVIDIA B200",
    tester_version: "1",
    unsandboxed: false,
    in_use: null,
    in_use_held: null,
    in_use_cases: null,
    in_use_speedup: null,
  };
}

function problemOf(n: number): number {
  return Math.floor((n * PROBLEMS) / ROWS);
}

async function median(work: (problem: string) => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < REPETITIONS; at += 1) {
    const begun = performance.now();
    const rows = await work(`problem-${(at * 5) % PROBLEMS}`);
    times.push(performance.now() - begun);
    if (rows !== ROWS / PROBLEMS) throw new Error(`${rows} rows came instead of ${ROWS / PROBLEMS}`);
  }
  return times.toSorted((one, other) => one - other)[REPETITIONS >> 1] ?? NaN;
}

/**
 * Measures reading the rows of one of 42 problems among 231,000 rows without code, opening the file each time: the
 * columns for ranking its contestants, all columns, and SQL.
 */
export const datasetFilter: Bench = async () => {
  const folder = temporaryDataDir();
  try {
    const path = join(folder, "submissions.parquet");
    const table = openTable(path, "submissions");
    for (let n = 0; n < ROWS; n += 1) table.write(factsOf(n));
    const { sizeBytes } = table.close();

    const ranked = await median(async (problem) => {
      let rows = 0;
      for await (const batch of kernelRows(await openDataset(path), { fields: TOP_FIELDS, problem }))
        rows += batch.length;
      return rows;
    });
    const whole = await median(async (problem) => {
      let rows = 0;
      for await (const _ of readRows(path, { where: { problem: { oneOf: [problem] } } })) rows += 1;
      return rows;
    });
    const filtered = await median(async (problem) => {
      const sql = `select submission_id, score_ns from submissions where problem = '${problem}'`;
      return (await querySql(await openDataset(path), sql, { engine: "builtin" })).rows.length;
    });
    return [
      { name: "filter by problem, to rank", value: ranked, unit: "ms" },
      { name: "filter by problem, all columns", value: whole, unit: "ms" },
      { name: "filter by problem, SQL", value: filtered, unit: "ms" },
      { name: "facts of 231,000 runs", value: sizeBytes / 1e6, unit: "MB" },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
