/** Document pass_at_k_results.json: pass@k of each problem of a level, and the averages. */
import { z } from "zod";
import { mean } from "../score/statistics.ts";
import type { EvalResults } from "./documents.ts";
import { reportedKs, passAtK } from "./pass-at-k.ts";

const Numbers = z.record(z.string(), z.number());

export const PassAtKDocument = z.object({
  /** Mean over the problems with at least k samples, by `avg_pass@k`. */
  averages: Numbers,
  /** Counts; `pass@k_count` is the number of problems in the average. */
  metadata: z
    .object({
      total_problems: z.number().int(),
      problems_with_samples: z.number().int(),
      total_evaluated_samples: z.number().int(),
      total_correct_samples: z.number().int(),
    })
    .catchall(z.number().int()),
  /** Results by problem number. */
  problems: z.record(
    z.string(),
    z.object({ total_samples: z.number().int(), correct_samples: z.number().int() }).catchall(z.number()),
  ),
});
export type PassAtKDocument = z.infer<typeof PassAtKDocument>;

/**
 * Builds the document; null if no problem has more than one sample. `problems` is the number of problems of the level.
 */
export function passAtKDocument(results: EvalResults, problems: number): PassAtKDocument | null {
  const counts = Object.entries(results).map(([problem, samples]) => ({
    problem,
    samples: samples.length,
    correct: samples.filter(({ compiled, correctness }) => compiled && correctness).length,
  }));
  const ks = reportedKs(counts.map(({ samples }) => samples));
  if (ks.length === 0) return null;
  const perK = ks.map((k) => {
    const sampled = counts.filter(({ samples }) => samples >= k);
    return { k, values: new Map(sampled.map((each) => [each.problem, passAtK(each.samples, each.correct, k)])) };
  });
  return {
    averages: Object.fromEntries(perK.map(({ k, values }) => [`avg_pass@${k}`, mean([...values.values()])])),
    metadata: {
      total_problems: problems,
      problems_with_samples: counts.length,
      total_evaluated_samples: counts.reduce((sum, { samples }) => sum + samples, 0),
      total_correct_samples: counts.reduce((sum, { correct }) => sum + correct, 0),
      ...Object.fromEntries(perK.map(({ k, values }) => [`pass@${k}_count`, values.size])),
    },
    problems: Object.fromEntries(
      counts.map(({ problem, samples, correct }) => {
        const own = perK.flatMap(({ k, values }) => {
          const value = values.get(problem);
          return value === undefined ? [] : [[`pass@${k}`, value] as const];
        });
        return [problem, { total_samples: samples, correct_samples: correct, ...Object.fromEntries(own) }];
      }),
    ),
  };
}
