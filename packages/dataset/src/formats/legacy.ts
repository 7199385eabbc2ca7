/** Oldest files of the corpus: anonymous users, a row for each run, details as structs, `code` as bytes. */
import type { Row } from "../parquet/values.ts";
import { codeIds, flag, modeOf, nsOf, number, part, text, whole, type Context, type Family } from "./row-format.ts";

const IDS = ["int64", "int32", "double"] as const;

const KEY = "legacy code ";

export const LEGACY_FAMILY: Family = {
  name: "file of runs with code",
  columns: {
    submission_id: IDS,
    leaderboard_id: IDS,
    user_id: [...IDS, "string"],
    submission_time: ["timestamp"],
    code: ["bytes", "string"],
    code_id: IDS,
    run_id: IDS,
    run_mode: ["string"],
    run_score: ["double"],
    run_passed: ["boolean"],
  },
  fields: {
    submissionId: { columns: ["submission_id"], from: (row) => number(row.submission_id) ?? 0 },
    runId: { columns: ["run_id"], from: (row) => number(row.run_id) },
    competition: { columns: [], from: () => null },
    problem: { columns: ["leaderboard_id"], from: (row, context) => problemOf(row, context) },
    target: { columns: ["run_system_info"], from: (row) => text(part(row.run_system_info, "gpu")) || "unknown" },
    userId: { columns: ["user_id"], from: (row) => text(row.user_id) },
    userName: { columns: ["user_id"], from: (row) => `user ${text(row.user_id)}` },
    codeKey: { columns: ["code_id"], from: (row) => KEY + text(row.code_id) },
    codeId: { columns: ["code_id"], from: (row) => whole(row.code_id) },
    fileName: { columns: ["file_name"], from: (row) => text(row.file_name) },
    submittedAt: { columns: ["submission_time"], from: (row) => text(row.submission_time) },
    mode: { columns: ["run_mode"], from: (row) => modeOf(row.run_mode) },
    passed: { columns: ["run_passed"], from: (row) => flag(row.run_passed) },
    scoreNs: {
      columns: ["run_score", "run_mode", "run_passed"],
      from: (row) => (modeOf(row.run_mode) === "ranked" && row.run_passed === true ? nsOf(row.run_score) : null),
    },
    place: { columns: [], from: () => undefined },
    givesScore: { columns: [], from: () => undefined },
    speedup: { columns: [], from: () => null },
    rankedBy: { columns: [], from: () => null },
    failureClass: {
      columns: ["run_passed", "run_compilation", "run_result", "run_meta"],
      from: (row) => (row.run_passed === false ? failureOf(row) : null),
    },
    code: { columns: ["code"], from: (row) => (row.code === null ? null : text(row.code)) },
  },
  where: ({ problem }, context) => {
    if (problem === undefined) return {};
    const ids = [...context.problems].flatMap(([id, name]) => (name === problem ? [id] : []));
    const unnamed = /^leaderboard (\d+)$/.exec(problem)?.[1];
    return { leaderboard_id: { oneOf: unnamed === undefined ? ids : [...ids, Number(unnamed)] } };
  },
  whereCode: (keys) => ({ code_id: { oneOf: codeIds(KEY, keys) } }),
};

function problemOf(row: Row, { problems }: Context): string {
  const id = number(row.leaderboard_id);
  return (id === null ? undefined : problems.get(id)) ?? `leaderboard ${id ?? "unknown"}`;
}

/** Returns `compile_error`, `wrong_result` or `crash`; null when no column shows a failure. */
function failureOf(row: Row): string | null {
  if (flag(part(row.run_compilation, "success")) === false) return "compile_error";
  if (part(row.run_result, "check") === "fail") return "wrong_result";
  if (flag(part(row.run_meta, "success")) === false) return "crash";
  return null;
}
