/** Warnings about names of targets that are probably mistyped. */
import { compareTargets, DATA_SHEETS, deviceOf, didYouMean, quote, sheetsOf } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import type { RunnerPolicy } from "./policy.ts";

/**
 * Returns a sentence for each name that no leaderboard uses, that is neither `cpu` nor a device of a data sheet, and that
 * the operator did not configure. A warning and not an error, because the problem may follow.
 */
export async function unknownTargets(
  { db }: Database,
  targets: readonly string[],
  { hardware }: Pick<RunnerPolicy, "hardware">,
): Promise<string[]> {
  const odd = targets.filter(
    (target) => deviceOf(target) !== "cpu" && sheetsOf(target).length === 0 && !hardware.has(target),
  );
  if (odd.length === 0) return [];
  const rows = await db.selectFrom("board").select("target").distinct().execute();
  const used = rows.map(({ target }) => target).toSorted(compareTargets);
  // `A100` of `NVIDIA A100 80GB SXM`.
  const devices = DATA_SHEETS.flatMap(({ name }) => name.split(" ").filter((word) => /\d$|\dX$/.test(word)));
  const known = [...new Set([...used, "cpu", ...devices])];
  return odd
    .filter((target) => !used.includes(target))
    .map(
      (target) => `no leaderboard uses the target ${quote(target)}, and it is not a known device${hint(target, known)}`,
    );
}

/** Suggests names in whichever case they are written. */
function hint(target: string, known: readonly string[]): string {
  const sameName = known.filter((name) => name.toLowerCase() === target.toLowerCase());
  return sameName.length > 0 ? `; did you mean ${sameName.join(" or ")}?` : didYouMean(target, known);
}
