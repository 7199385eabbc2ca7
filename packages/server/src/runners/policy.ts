/** What a server demands of runners, and what it pauses them for. */
import { deviceOf, type TargetHardware } from "@kernelbot/core";
import { z } from "zod";

export interface RunnerPolicy {
  /** What targets of names of our own are. */
  hardware: TargetHardware;
  /** How often each runner times the canary, in milliseconds. */
  canaryEveryMs: number;
  /** How far a canary may be from its baseline, by target: 0.1 is 10 %. Null: as far as it likes. */
  boundOf: (target: string) => number | null;
}

/** A tenth: an accelerator whose clocks are well does not vary by that much. */
const ACCELERATOR_PERCENT = 10;

const Bound = z.string().regex(/^(?:[\w.-]+=)?\d{1,3}$/, "use PERCENT or TARGET=PERCENT, from 1 to 999");

/** From the options of the command line. */
export const CanaryBounds = z.array(Bound).transform((texts) => {
  const own = new Map<string, number>();
  let others = ACCELERATOR_PERCENT;
  for (const text of texts) {
    const [percent = "", target] = text.split("=").toReversed();
    if (target === undefined) others = Number(percent);
    else own.set(target, Number(percent));
  }
  return (target: string): number | null => {
    // Processors are shared and slowed for many reasons: their drift is shown, and stops nobody unless it is asked for.
    const percent = own.get(target) ?? (deviceOf(target) === "cpu" ? 0 : others);
    return percent === 0 ? null : percent / 100;
  };
});

/** How often the canary is timed, from minutes to milliseconds. */
export const CanaryEvery = z
  .string()
  .regex(/^[1-9]\d{0,4}$/, "use a whole number of minutes, from 1 to 99999")
  .default("60")
  .transform((minutes) => 60_000 * Number(minutes));

const Stated = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,39}=./, "use TARGET=PATTERN")
  .transform((text, context): [string, RegExp] => {
    const at = text.indexOf("=");
    try {
      return [text.slice(0, at), new RegExp(`^(?:${text.slice(at + 1)})$`)];
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
      return z.NEVER;
    }
  });

/** What targets of names of our own are, `TARGET=PATTERN` each. */
export const TargetHardwareOption = z.array(Stated).transform((stated): TargetHardware => new Map(stated));

export const DEFAULT_POLICY: RunnerPolicy = {
  hardware: new Map(),
  canaryEveryMs: 3_600_000,
  boundOf: CanaryBounds.parse([]),
};
