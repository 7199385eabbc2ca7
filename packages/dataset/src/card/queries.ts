/** Queries shown in a snapshot's card and guide. They run in DuckDB and in `kernelbot dataset query`. */
import type { FileKind } from "../columns.ts";

export interface Query {
  title: string;
  sql: string;
}

/** Glob of each table's files, relative to the snapshot's directory. */
export const PATTERNS: Record<FileKind, string> = {
  submissions: "*/submissions.parquet",
  samples: "*/samples.parquet",
  code: "*/code.parquet",
  corpus: "*/corpus/*.parquet",
  problems: "problems.parquet",
  boards: "boards.parquet",
  leaderboards: "leaderboards.parquet",
};

/** SQL that defines the tables as views in DuckDB. */
export const VIEWS = Object.entries(PATTERNS)
  .map(([name, pattern]) => `CREATE VIEW ${name} AS SELECT * FROM read_parquet('${pattern}');`)
  .join("\n");

/** Query shown first. */
export const FIRST_QUERY: Query = {
  title: "Top 3 of each leaderboard",
  sql: `SELECT problem, target, place, user_name, score_ns / 1000 AS score_us, speedup
FROM submissions
WHERE place <= 3
ORDER BY problem, target, place`,
};

export const QUERIES: readonly Query[] = [
  FIRST_QUERY,
  {
    title: "Rank the published rows",
    sql: `SELECT problem, target, user_name, MIN(score_ns) AS best_ns, MAX(ranked_value) AS best_ranked_value, COUNT(*) AS ranked_submissions
FROM submissions
WHERE gives_score
GROUP BY problem, target, user_id, user_name
ORDER BY problem, target, best_ranked_value DESC, best_ns`,
  },
  {
    title: "Source and licence of the winners",
    sql: `SELECT DISTINCT s.problem, s.target, s.user_name, s.score_ns, s.licence, c.language, c.code
FROM submissions s
JOIN code c ON c.code_sha256 = s.code_sha256
WHERE s.place = 1`,
  },
  {
    title: "One user over time",
    sql: `SELECT submitted_at, mode, verdict, failure_class, score_ns
FROM submissions
WHERE problem = 'vectoradd' AND target = 'cpu' AND user_name = 'ada'
ORDER BY submitted_at`,
  },
  {
    title: "Records of a leaderboard over time",
    sql: `SELECT s.submitted_at, s.user_name, s.score_ns
FROM submissions s
LEFT JOIN submissions o
  ON o.problem_id = s.problem_id AND o.target = s.target AND o.gives_score
  AND o.submitted_at < s.submitted_at AND o.score_ns <= s.score_ns
WHERE s.problem = 'vectoradd' AND s.target = 'cpu' AND s.gives_score AND o.run_id IS NULL
ORDER BY s.submitted_at`,
  },
  {
    title: "Failures by class",
    sql: `SELECT problem, target, mode, failure_class, COUNT(*) AS runs
FROM submissions
WHERE verdict = 'failed'
GROUP BY problem, target, mode, failure_class
ORDER BY runs DESC`,
  },
  {
    title: "Speedup over the reference, by leaderboard",
    sql: `SELECT problem, target, COUNT(*) AS entries, MEDIAN(speedup) AS median_speedup, MAX(speedup) AS best_speedup
FROM submissions
WHERE place IS NOT NULL AND speedup IS NOT NULL
GROUP BY problem, target
ORDER BY best_speedup DESC`,
  },
  {
    title: "Declared authors of the entries",
    sql: `SELECT author_kind, model, COUNT(*) AS entries
FROM submissions
WHERE place IS NOT NULL
GROUP BY author_kind, model
ORDER BY entries DESC`,
  },
  {
    title: "Timing samples of the winners, by case",
    sql: `SELECT s.problem, s.target, x.case_index, x.parameters, x.candidate_ns, x.reference_ns
FROM submissions s
JOIN samples x ON x.run_id = s.run_id
WHERE s.place = 1 AND x.stage = 'ranked'
ORDER BY s.problem, s.target, x.case_index`,
  },
  {
    title: "Statement and reference of each problem version",
    sql: `SELECT DISTINCT s.problem, s.problem_version, p.description, p.reference, p.spec
FROM submissions s
JOIN problems p ON p.problem_id = s.problem_id AND p.problem_version = s.problem_version
ORDER BY s.problem`,
  },
  {
    title: "Ranked rows in the columns of the older corpus",
    sql: `SELECT problem_name, runner, user_name, score
FROM corpus
WHERE mode = 'leaderboard' AND passed
ORDER BY problem_name, runner, score`,
  },
];
