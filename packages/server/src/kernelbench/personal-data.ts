/** What the tables of this folder store about a person. */
import { OWN_RUNS, kept, redacted, type PersonalTable } from "../db/personal-tables.ts";

/** In the order in which an erasure executes their statements. */
export const KERNELBENCH_TABLES: readonly PersonalTable[] = [
  redacted(
    "kernelbench_entry",
    "KernelBench entries",
    "organisation and notes are deleted, and no more kernels are submitted; scores and the model's name stay under the pseudonym",
    {
      erase: `update kernelbench_entry set stopped_at = coalesce(stopped_at, now()), idempotency_key = null,
      metadata = (metadata::jsonb - 'run_name' || '{"organization": "", "notes": ""}')::json where account_id = $1`,
    },
  ),
  kept(
    "kernelbench_kernel",
    "kernels of entries",
    "kept without sources, because scores are computed from their runs",
    { rows: "entry_id in (select id from kernelbench_entry where account_id = $1)" },
  ),
  kept("kernelbench_result", "times of kernels of entries", "kept; has numbers only", {
    rows: `run_id in ${OWN_RUNS}`,
  }),
  kept("kernelbench_baseline", "baselines that the person stored", "kept; scores refer to them"),
];
