/** Export schema of the corpus: rows with their code. The corpus files of a snapshot have the same schema. */
import { codeIds, flag, modeOf, nsOf, number, text, whole, type Family } from "./row-format.ts";

const KEY = "code ";

export const CORPUS_FAMILY: Family = {
  name: "file of rows with code",
  columns: {
    submission_id: ["int64", "int32"],
    problem_name: ["string"],
    user_id: ["string"],
    user_name: ["string"],
    code_id: ["int64", "int32"],
    submission_time: ["timestamp"],
    score: ["double"],
    passed: ["boolean"],
    mode: ["string"],
    runner: ["string"],
    code: ["string", "bytes"],
  },
  fields: {
    submissionId: { columns: ["submission_id"], from: (row) => number(row.submission_id) ?? 0 },
    runId: { columns: [], from: () => null },
    competition: { columns: [], from: () => null },
    problem: { columns: ["problem_name"], from: (row) => text(row.problem_name) },
    target: { columns: ["runner"], from: (row) => text(row.runner) || "unknown" },
    userId: { columns: ["user_id"], from: (row) => text(row.user_id) },
    userName: { columns: ["user_name"], from: (row) => text(row.user_name) },
    codeKey: { columns: ["code_id"], from: (row) => KEY + text(row.code_id) },
    codeId: { columns: ["code_id"], from: (row) => whole(row.code_id) },
    fileName: { columns: ["file_name"], from: (row) => text(row.file_name) },
    submittedAt: { columns: ["submission_time"], from: (row) => text(row.submission_time) },
    mode: { columns: ["mode"], from: (row) => modeOf(row.mode) },
    passed: { columns: ["passed"], from: (row) => flag(row.passed) },
    scoreNs: {
      columns: ["score", "mode", "passed"],
      from: (row) => (modeOf(row.mode) === "ranked" && row.passed === true ? nsOf(row.score) : null),
    },
    place: { columns: [], from: () => undefined },
    givesScore: { columns: [], from: () => undefined },
    speedup: { columns: [], from: () => null },
    rankedBy: { columns: [], from: () => null },
    failureClass: { columns: [], from: () => null },
    code: { columns: ["code"], from: (row) => (row.code === null ? null : text(row.code)) },
  },
  where: ({ problem, target }) => ({
    ...(problem !== undefined && { problem_name: { oneOf: [problem] } }),
    ...(target !== undefined && target !== "unknown" && { runner: { oneOf: [target] } }),
  }),
  whereCode: (keys) => ({ code_id: { oneOf: codeIds(KEY, keys) } }),
};
