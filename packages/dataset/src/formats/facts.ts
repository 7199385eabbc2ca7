/** `submissions.parquet` of a snapshot: facts without code. */
import { BestRankedBy } from "@kernelbot/core";
import type { Row } from "../parquet/values.ts";
import { number, text, whole, type Family } from "./row-format.ts";

export const FACTS_FAMILY: Family = {
  name: "file of facts",
  columns: {
    submission_id: ["int64"],
    run_id: ["int64"],
    problem: ["string"],
    target: ["string"],
    user_id: ["string"],
    user_name: ["string"],
    code_sha256: ["string"],
    submitted_at: ["timestamp"],
    mode: ["string"],
    verdict: ["string"],
    score_ns: ["double"],
  },
  fields: {
    submissionId: { columns: ["submission_id"], from: (row) => number(row.submission_id) ?? 0 },
    runId: { columns: ["run_id"], from: (row) => number(row.run_id) },
    competition: { columns: ["competition"], from: (row) => text(row.competition) },
    problem: { columns: ["problem"], from: (row) => text(row.problem) },
    target: { columns: ["target"], from: (row) => text(row.target) },
    userId: { columns: ["user_id"], from: (row) => text(row.user_id) },
    userName: { columns: ["user_name"], from: (row) => text(row.user_name) },
    codeKey: { columns: ["code_sha256"], from: (row) => text(row.code_sha256) },
    codeId: { columns: ["code_id"], from: (row) => whole(row.code_id) },
    fileName: { columns: ["file_name"], from: (row) => text(row.file_name) },
    submittedAt: { columns: ["submitted_at"], from: (row) => text(row.submitted_at) },
    mode: { columns: ["mode"], from: (row) => text(row.mode) },
    passed: {
      columns: ["verdict"],
      from: ({ verdict }) => (verdict === "passed" ? true : verdict === "failed" ? false : null),
    },
    scoreNs: { columns: ["score_ns"], from: (row) => number(row.score_ns) },
    place: { columns: ["place"], from: ({ place }) => (place === undefined ? undefined : number(place)) },
    givesScore: {
      columns: ["gives_score"],
      from: ({ gives_score: gives }) => (typeof gives === "boolean" ? gives : undefined),
    },
    speedup: { columns: ["speedup"], from: (row) => number(row.speedup) },
    rankedBy: { columns: ["ranked_by", "ranked_value"], from: rankedByOf },
    failureClass: { columns: ["failure_class"], from: (row) => text(row.failure_class) || null },
    code: { columns: [], from: () => null },
  },
  where: ({ problem, target }) => ({
    ...(problem !== undefined && { problem: { oneOf: [problem] } }),
    ...(target !== undefined && { target: { oneOf: [target] } }),
  }),
  whereCode: null,
};

function rankedByOf({ ranked_by: ranking, ranked_value: value }: Row): BestRankedBy | null {
  return BestRankedBy.safeParse({ ranking, value }).data ?? null;
}
