/** Result of a duel, computed from its stored samples and its verdict. */
import type { Transaction } from "kysely";
import { duelResult, duelSummary, type DuelResult, type RunDetail, type SideFailure } from "@kernelbot/core";
import type { Tables } from "../db/tables.ts";
import type { Ending } from "./finish.ts";

interface DuelRun {
  id: number;
  attempt: number;
  target: string;
}

/** Returns the ending of a duel with its result. */
export async function scoreDuel(transaction: Transaction<Tables>, run: DuelRun, ending: Ending): Promise<Ending> {
  const { spec } = await transaction
    .selectFrom("run")
    .innerJoin("problem_version", "problem_version.hash", "run.problem_version")
    .select("problem_version.spec")
    .where("run.id", "=", run.id)
    .executeTakeFirstOrThrow();
  const rows = await transaction
    .selectFrom("case_result")
    .select(["parameters", "rounds"])
    .where("run_id", "=", run.id)
    .where("attempt", "=", run.attempt)
    .where("stage", "=", "duel")
    .orderBy("index")
    .execute();
  const cases = rows.map(({ parameters, rounds }) => ({ case: parameters, rounds }));
  const failures = { a: failureOf(ending), b: ending.rival ?? null };
  return { ...ending, duel: duelSummary(duelResult(cases, failures, run.target, spec.stop)) };
}

/** Returns the result of a judged duel; null for any other run. */
export function duelOf(
  run: Pick<RunDetail, "mode" | "verdict" | "failureClass" | "message" | "detail" | "target" | "stages">,
  rivalFailure: SideFailure | null,
  stop: Parameters<typeof duelResult>[3],
): DuelResult | null {
  if (run.mode !== "duel" || (run.verdict !== "passed" && run.verdict !== "failed")) return null;
  const cases = run.stages.find(({ stage }) => stage === "duel")?.cases ?? [];
  return duelResult(cases, { a: failureOf(run), b: rivalFailure }, run.target, stop);
}

function failureOf({ failureClass, message, detail }: Pick<Ending, "failureClass" | "message" | "detail">) {
  return failureClass === null ? null : { failureClass, message: message ?? "", detail };
}
