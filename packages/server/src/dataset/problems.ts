/** Formats problems and boards as rows of the files that all competitions of a snapshot share. */
import {
  compareBoards,
  compareTargets,
  compareText,
  ProblemSpec,
  publicProblem,
  type ProblemFiles,
} from "@kernelbot/core";
import type { Row } from "@kernelbot/dataset";
import type { Client } from "../db/client.ts";
import { batches } from "../db/cursor.ts";
import { micros } from "./facts.ts";

/** Small, because one problem may have more than 1 MB of files. */
const BATCH = 10;

interface Version {
  problem_id: number;
  problem: string;
  problem_version: string;
  current: boolean;
  competition: string;
  spec: unknown;
  files: ProblemFiles;
  created_at: number;
}

/** Returns the current version of each problem, and every version that a selected run refers to. */
export async function* problemRows(client: Client, competitions: readonly string[]): AsyncGenerator<Row<"problems">> {
  const versions = batches<Version>(
    client,
    "versions",
    BATCH,
    `select p.number as problem_id, p.name as problem, v.hash as problem_version, v.hash = p.version as current,
      p.competition, v.spec, v.files, ${micros("v.created_at")} as created_at
    from problem p join problem_version v on v.problem = p.name
    where p.competition = any($1::text[]) and p.suite is null
      and (v.hash = p.version or v.hash in (select problem_version from snapshot_run))
    order by p.competition, p.name, v.created_at, v.hash`,
    [competitions as never],
  );
  for await (const batch of versions) {
    for (const { spec: stored, files, ...version } of batch) {
      const { spec } = publicProblem({ spec: ProblemSpec.parse(stored), files });
      yield {
        problem_id: BigInt(version.problem_id),
        problem: version.problem,
        problem_version: version.problem_version,
        current: version.current,
        competition: version.competition,
        description: spec.description,
        language: languageOf(spec),
        reference: referenceOf(spec, files),
        spec: JSON.stringify(spec),
        created_at: BigInt(version.created_at),
      };
    }
  }
}

interface StoredBoard {
  competition: string;
  problem_id: number;
  problem: string;
  problem_version: string;
  target: string;
  opened_at: number;
  closed_at: number;
  entries: number;
  best_score_ns: number | null;
  ranked_by: string | null;
  best_ranked_value: number | null;
}

/** Returns the boards of competitions: competitions and problems by name, targets in the order of all lists. */
export async function boardRows(client: Client, competitions: readonly string[]): Promise<Row<"boards">[]> {
  const rows = await client.query(
    `select p.competition, p.number as problem_id, p.name as problem, p.version as problem_version, b.target,
      ${micros("w.opens_at")} as opened_at, ${micros("w.closes_at")} as closed_at,
      count(e.run_id) as entries, (array_agg(e.time_ns order by e.rank_key, e.entry_run_id))[1] as best_score_ns,
      max(e.ranked_by) as ranked_by, max(e.ranked_value) as best_ranked_value
    from board b join problem p on p.name = b.problem
    join problem_window w on w.problem = p.name
    left join board_entry e on e.problem = b.problem and e.target = b.target
    where p.competition = any($1::text[]) and p.suite is null
    group by p.name, b.target, w.opens_at, w.closes_at`,
    [competitions as never],
  );
  const sorted = Array.from(rows as unknown as StoredBoard[]).toSorted(
    (a, b) => compareText(a.competition, b.competition) || compareBoards(a, b),
  );
  return sorted.map((row) => ({
    ...row,
    problem_id: BigInt(row.problem_id),
    opened_at: BigInt(row.opened_at),
    closed_at: BigInt(row.closed_at),
  }));
}

export async function* leaderboardRows(
  client: Client,
  competitions: readonly string[],
): AsyncGenerator<Row<"leaderboards">> {
  type Stored = { id: number; name: string; deadline: number; spec: unknown; files: ProblemFiles; targets: string[] };
  const problems = batches<Stored>(
    client,
    "problems",
    BATCH,
    `select p.number as id, p.name, ${micros("w.closes_at")} as deadline, v.spec, v.files,
      array(select target from board b where b.problem = p.name) as targets
    from problem p join problem_version v on v.hash = p.version join problem_window w on w.problem = p.name
    where p.competition = any($1::text[]) and p.suite is null order by p.competition, p.name`,
    [competitions as never],
  );
  for await (const batch of problems) {
    for (const { id, name, deadline, files, targets, spec: stored } of batch) {
      const spec = ProblemSpec.parse(stored);
      yield {
        id: BigInt(id),
        name,
        deadline: BigInt(deadline),
        lang: languageOf(spec),
        description: spec.description,
        reference: referenceOf(spec, files),
        gpu_types: targets.toSorted(compareTargets),
      };
    }
  }
}

function languageOf({ languages }: ProblemSpec): string {
  return languages.py === undefined ? "cpp" : "python";
}

/** Returns the source of the reference; for problems with their own harness, the harness. */
function referenceOf({ main }: ProblemSpec, files: ProblemFiles): string {
  return files["reference.py"] ?? (main === null ? "" : (files[main] ?? ""));
}
