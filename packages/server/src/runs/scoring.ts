/** The score of a ranked run from what is stored of it, and nothing else. */
import type { Transaction } from "kysely";
import { casesFor, scoreCases, type Score } from "@kernelbot/core";
import type { Tables } from "../db/tables.ts";
import type { Ending } from "./finish.ts";

interface RankedRun {
  id: number;
  attempt: number;
  target: string;
  problem_version: string;
}

/** How a ranked run that the judge passed ends: with its score, or quarantined where its samples give none. */
export async function scoreStored(transaction: Transaction<Tables>, run: RankedRun): Promise<Ending> {
  const { spec } = await transaction
    .selectFrom("problem_version")
    .select("spec")
    .where("hash", "=", run.problem_version)
    .executeTakeFirstOrThrow();
  const cases = await transaction
    .selectFrom("case_result")
    .select(["index", "status", "rounds", "summary"])
    .where("run_id", "=", run.id)
    .where("attempt", "=", run.attempt)
    .where("stage", "=", "ranked")
    .orderBy("index")
    .execute();
  const expected = casesFor(spec, run.target).benchmarks.length;
  const whole =
    cases.length === expected && cases.every((row, index) => row.index === index && row.status === "passed");
  if (!whole) {
    const passed = cases.filter((row) => row.status === "passed").length;
    return quarantined(`${passed} of the board's ${expected} cases were timed and passed`);
  }
  try {
    const score = scoreCases(cases, spec.rankingBy, run.target, spec.stop);
    if (!isPlausible(score)) return quarantined("the score is not a positive finite number");
    return { verdict: "passed", failureClass: null, message: null, detail: null, score };
  } catch (error) {
    if (error instanceof RangeError) return quarantined(error.message);
    throw error;
  }
}

function isPlausible({ timeNs, speedup }: Score): boolean {
  return [timeNs, ...(speedup === null ? [] : [speedup])]
    .flatMap(({ value, low, high }) => [value, low, high])
    .every((number) => Number.isFinite(number) && number > 0);
}

function quarantined(why: string): Ending {
  return {
    verdict: "quarantined",
    failureClass: null,
    message: `the samples give no score, so a moderator has to look: ${why}`,
    detail: null,
    score: null,
  };
}
