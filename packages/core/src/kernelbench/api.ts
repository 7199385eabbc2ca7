/** The answers of /api/v1/kernelbench that are more than one of its words. */
import { z } from "zod";
import { ApiError } from "../api.ts";
import { EntryFault, EntrySummary, KernelResult } from "./entry.ts";
import { Share, type BaselineChoice } from "./score.ts";
import { StoredBaseline } from "./stored-baseline.ts";
import { Suite, SuiteProblem, SuiteSummary } from "./suite.ts";

/** In the order of their names, each in its newest version. */
export const SuiteList = z.object({ suites: z.array(SuiteSummary) });
/** The best first. */
export const EntryList = z.object({ entries: z.array(EntrySummary) });

export const BaselineSummary = StoredBaseline.omit({ times: true }).extend({
  /** How many problems it has times for. */
  problemCount: z.number().int(),
});
export type BaselineSummary = z.infer<typeof BaselineSummary>;
/** In the order of their ids. */
export const BaselineList = z.object({ baselines: z.array(BaselineSummary) });

/** Why an entry was not taken: all that is wrong with its file. */
export const EntryRefusal = ApiError.extend({ faults: z.array(EntryFault) });
export type EntryRefusal = z.infer<typeof EntryRefusal>;

/** How far an entry is. */
export const EntryProgress = EntrySummary.pick({ progress: true }).extend({
  /** Whether no kernel is on its way any more: each is judged or lost, or the entry was stopped. */
  finished: z.boolean(),
});
export type EntryProgress = z.infer<typeof EntryProgress>;

/** A problem across models. */
export const SuiteProblemAcross = z.object({
  problem: SuiteProblem,
  /** The text of its file. */
  source: z.string(),
  rows: z.array(
    z.object({
      entry: EntrySummary,
      /** The best of its samples: a correct one, the fastest of these. Sample 0 alone is scored. */
      result: KernelResult,
      /** How many of its samples are correct. */
      samples: Share,
      /** Null where it is not open to the one who asks. */
      source: z.string().nullable(),
    }),
  ),
});
export type SuiteProblemAcross = z.infer<typeof SuiteProblemAcross>;

/** How each entry came out on each problem. */
export const Matrix = z.object({
  suite: Suite,
  /** The best entry first; of each, sample 0 for each problem as it is now. */
  rows: z.array(z.object({ entry: EntrySummary, results: z.array(KernelResult) })),
});
export type Matrix = z.infer<typeof Matrix>;

/** `eager`, `compiled` or `stored:ID`, as an address has it. */
export function baselineText(choice: BaselineChoice): string {
  return choice.kind === "stored" ? `stored:${choice.id}` : choice.kind;
}

/** What `baselineText` gives, read back. */
export const BaselineText = z
  .string()
  .regex(/^(eager|compiled|stored:[\w.-]{1,100})$/, "use eager, compiled or stored:ID")
  .transform((text): BaselineChoice => {
    if (text === "eager" || text === "compiled") return { kind: text };
    return { kind: "stored", id: text.slice("stored:".length) };
  });
