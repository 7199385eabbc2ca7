import { suiteKeyText, type KernelBenchEntrySummary, type Suite, type SuiteKey } from "@kernelbot/core";
import type { Database } from "../db/database.ts";

/**
 * Returns a function that decides whether an entry's result for a problem applies to the suite's current version of the
 * problem. Results of an entry for an earlier version of the suite apply where the problem is unchanged.
 */
export async function comparable(
  { db }: Database,
  { version }: Suite,
): Promise<(entry: Pick<KernelBenchEntrySummary, "suiteVersion">, key: SuiteKey) => boolean> {
  const rows = await db
    .selectFrom("kernelbench_suite_problem as now")
    .innerJoin("kernelbench_suite_problem as then", (join) =>
      join
        .onRef("then.problem_version", "=", "now.problem_version")
        .onRef("then.level", "=", "now.level")
        .onRef("then.problem", "=", "now.problem"),
    )
    .select(["then.suite_version", "now.level", "now.problem"])
    .where("now.suite_version", "=", version)
    .execute();
  const same = new Set(rows.map((row) => `${row.suite_version} ${suiteKeyText(row)}`));
  return ({ suiteVersion }, key) => same.has(`${suiteVersion} ${suiteKeyText(key)}`);
}
