/** Whether a kernel works in use: the result of the problem's application for a source on a target. */
import { z } from "zod";
import { formatCount } from "../text/text.ts";
import { formatRatio } from "../text/units.ts";
import { Case, type ApplicationGate } from "../vocabulary/specification.ts";
import { ApplicationCase, Validation } from "./tester-protocol.ts";

/** Result of the application, with its cases. */
export const InUse = Validation.extend({
  cases: z.array(
    ApplicationCase.extend({
      /** Parameters of the case, without its seed. */
      case: Case,
    }),
  ),
  checkedAt: z.iso.datetime(),
  /** Whether it was judged without a sandbox, where code can forge its result. */
  unsandboxed: z.boolean(),
});
export type InUse = z.infer<typeof InUse>;

/** Result of the application in a row of a board. */
export const InUseSummary = InUse.pick({ state: true, held: true, speedup: true }).extend({
  /** Number of cases of the application. */
  cases: z.int().nonnegative(),
});
export type InUseSummary = z.infer<typeof InUseSummary>;

/** What the column *In use* of a board means, in one sentence; with its effect on the status if there is one. */
export function inUseSentence(gate: ApplicationGate): string {
  const meaning =
    "In use: whether the kernel works in every case of a program that uses it, and its speedup over the reference there; the ranking does not depend on it.";
  return gate === "required" ? `${meaning} An entry is confirmed only once its kernel is validated.` : meaning;
}

/** Returns the result in a row of a board. */
export function inUseSummary({ state, held, speedup, cases }: Validation): InUseSummary {
  return { state, held, speedup, cases: cases.length };
}

/** Returns a result without the messages about its failed cases, which only the owner and moderators read. */
export function withoutReasons(inUse: InUse): InUse {
  return { ...inUse, reason: null, cases: inUse.cases.map((one) => ({ ...one, message: null })) };
}

/** Formats a result: `validated, 1.24x`, `3 of 5 cases`. The speedup is that over the reference in the application. */
export function formatInUse({ state, held, cases, speedup }: InUseSummary): string {
  if (state !== "validated") return `${held} of ${formatCount(cases, "case")}`;
  return speedup === null ? "validated" : `validated, ${formatRatio(speedup.value)}`;
}
