/** Requirements of a server for runners, and the bounds beyond which it pauses them. */
import { deviceOf, type TargetHardware } from "@kernelbot/core";
import { z } from "zod";

export interface RunnerPolicy {
  /** Hardware of custom target names. */
  hardware: TargetHardware;
  /** Interval between canaries of a runner, in milliseconds. */
  canaryEveryMs: number;
  /** Maximum deviation of a canary from its baseline, by target: 0.1 is 10 %. Null: no bound. */
  boundOf: (target: string) => number | null;
}

/** Default for accelerators, in percent: with stable clocks they vary less than that. */
const ACCELERATOR_PERCENT = 10;

const Bound = z.string().regex(/^(?:[\w.-]+=)?\d{1,3}$/, "use PERCENT or TARGET=PERCENT, from 1 to 999");

/** Parses the options of the command line, in percent, to `boundOf`. */
export const CanaryBounds = z.array(Bound).transform((texts) => {
  const own = new Map<string, number>();
  let others = ACCELERATOR_PERCENT;
  for (const text of texts) {
    const [percent = "", target] = text.split("=").toReversed();
    if (target === undefined) others = Number(percent);
    else own.set(target, Number(percent));
  }
  return (target: string): number | null => {
    // CPUs are shared and throttled for many reasons: by default their drift is shown but does not pause a runner.
    const percent = own.get(target) ?? (deviceOf(target) === "cpu" ? 0 : others);
    return percent === 0 ? null : percent / 100;
  };
});

/** Interval between canaries: parses minutes, returns milliseconds. */
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

/** Parses the hardware of custom target names, `TARGET=PATTERN` each. */
export const TargetHardwareOption = z.array(Stated).transform((stated): TargetHardware => new Map(stated));

export const DEFAULT_POLICY: RunnerPolicy = {
  hardware: new Map(),
  canaryEveryMs: 3_600_000,
  boundOf: CanaryBounds.parse([]),
};
