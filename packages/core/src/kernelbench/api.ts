/** Response schemas of /api/v1/kernelbench that are not defined with a subject. */
import { z } from "zod";
import { ApiError } from "../api.ts";
import { KernelBenchEntryFault, KernelBenchEntrySummary, KernelResult } from "./entry.ts";
import { Fraction, type BaselineChoice } from "./score.ts";
import { StoredBaseline } from "./stored-baseline.ts";
import { Suite, SuiteProblem, SuiteSummary } from "./suite.ts";

/** Suites, sorted by name, each in its newest version. */
export const SuiteList = z.object({ suites: z.array(SuiteSummary) });
/** Entries, best first. */
export const KernelBenchEntryList = z.object({ entries: z.array(KernelBenchEntrySummary) });

export const BaselineSummary = StoredBaseline.omit({ times: true }).extend({
  /** Number of problems with a time. */
  problemCount: z.number().int(),
});
export type BaselineSummary = z.infer<typeof BaselineSummary>;
/** Baselines, sorted by id. */
export const BaselineList = z.object({ baselines: z.array(BaselineSummary) });

/** Error response to a rejected entry, with all faults of its file. */
export const KernelBenchEntryRejection = ApiError.extend({ faults: z.array(KernelBenchEntryFault) });
export type KernelBenchEntryRejection = z.infer<typeof KernelBenchEntryRejection>;

/** Progress of an entry. */
export const KernelBenchEntryProgress = KernelBenchEntrySummary.pick({ progress: true }).extend({
  /** True if no kernel is queued or running: each is judged or lost, or the entry was stopped. */
  finished: z.boolean(),
});
export type KernelBenchEntryProgress = z.infer<typeof KernelBenchEntryProgress>;

/** Problem with the results of all entries. */
export const SuiteProblemResults = z.object({
  problem: SuiteProblem,
  /** Source code of the problem's file. */
  source: z.string(),
  rows: z.array(
    z.object({
      entry: KernelBenchEntrySummary,
      /** Best of the entry's samples: a correct one if any, the fastest of these. Only sample 0 is scored. */
      result: KernelResult,
      /** Number of correct samples, of all samples. */
      samples: Fraction,
      /** Source code of the kernel; null if the caller may not see it. */
      source: z.string().nullable(),
    }),
  ),
});
export type SuiteProblemResults = z.infer<typeof SuiteProblemResults>;

/** Results of every entry on every problem. */
export const SuiteResultMatrix = z.object({
  suite: Suite,
  /** Rows, best entry first; each with sample 0 of every problem at present. */
  rows: z.array(z.object({ entry: KernelBenchEntrySummary, results: z.array(KernelResult) })),
});
export type SuiteResultMatrix = z.infer<typeof SuiteResultMatrix>;

/** Formats a baseline choice for a URL: `eager`, `compiled` or `stored:ID`. */
export function baselineText(choice: BaselineChoice): string {
  return choice.kind === "stored" ? `stored:${choice.id}` : choice.kind;
}

/** Parses the output of `baselineText`. */
export const BaselineText = z
  .string()
  .regex(/^(eager|compiled|stored:[\w.-]{1,100})$/, "use eager, compiled or stored:ID")
  .transform((text): BaselineChoice => {
    if (text === "eager" || text === "compiled") return { kind: text };
    return { kind: "stored", id: text.slice("stored:".length) };
  });
