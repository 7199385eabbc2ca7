/** Stored baselines: times of the models of a suite that were measured once, on the hardware that they name. */
import { z } from "zod";
import { KernelBotError, quote } from "../errors.ts";
import { byKernelKey, Level, SuiteKey, suiteKeyText } from "./key.ts";

export const BaselineId = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,99}$/, "use letters, digits, _, - and . (at most 100)");

export const BaselineKind = z.enum(["eager", "compiled"]);
/** Whether the models were timed as they are, or by torch.compile. */
export type BaselineKind = z.infer<typeof BaselineKind>;

/** A file of `baselines/`: for each level, by file name, what was measured in milliseconds. */
export const BaselineFile = z.record(z.string(), z.record(z.string(), z.looseObject({ mean: z.number() })));
export type BaselineFile = z.infer<typeof BaselineFile>;

/** A baseline as it is handed in. */
export const BaselineUpload = z.strictObject({
  id: BaselineId,
  /** The device's name as entries have it, `NVIDIA H100 80GB HBM3`: entries of other devices are not scored by it. */
  hardware: z.string().min(1).max(200),
  kind: BaselineKind,
  file: BaselineFile,
});
export type BaselineUpload = z.infer<typeof BaselineUpload>;

/** The measured time of one model. */
export const BaselineTime = SuiteKey.extend({ fileName: z.string(), timeNs: z.number().positive() });
export type BaselineTime = z.infer<typeof BaselineTime>;

/** A baseline as it is kept. */
export const StoredBaseline = z.object({ ...BaselineUpload.omit({ file: true }).shape, times: z.array(BaselineTime) });
export type StoredBaseline = z.infer<typeof StoredBaseline>;

/** Whether entries that were judged on these devices may be scored by a baseline: all of them are the baseline's device. */
export function isSameHardware({ hardware }: Pick<StoredBaseline, "hardware">, devices: readonly string[]): boolean {
  return devices.every((device) => deviceName(device) === deviceName(hardware));
}

/** @throws KernelBotError `unprocessable` where `isSameHardware` is false. */
export function requireSameHardware(
  baseline: Pick<StoredBaseline, "id" | "hardware">,
  devices: readonly string[],
): void {
  if (isSameHardware(baseline, devices)) return;
  throw new KernelBotError(
    "unprocessable",
    `the baseline ${quote(baseline.id)} was measured on ${quote(baseline.hardware)}, and the entry was judged on ${devices.map(quote).join(", ")}: a speed-up over other hardware says nothing about a kernel; choose eager, or a baseline of that device`,
  );
}

/** A machine with several of a device judges on one of them. */
function deviceName(text: string): string {
  return text
    .replace(/^\d+ × /, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

/** The times of a file, and which of its members are none: `level1/19_ReLU.py`. */
export interface BaselineTimes {
  times: BaselineTime[];
  skipped: string[];
}

/**
 * The times of a file, in order. The level and the number before the name say whose time it is. What belongs to no problem
 * of ours is skipped, and so is a mean that is no time: a file that waits to be filled in has zeros.
 * @throws KernelBotError `unprocessable` where two members are of one problem.
 */
export function baselineTimes(file: BaselineFile): BaselineTimes {
  const byKey = new Map<string, BaselineTime>();
  const skipped: string[] = [];
  for (const [folder, means] of Object.entries(file)) {
    for (const [fileName, { mean }] of Object.entries(means)) {
      const key = keyOf(folder, fileName);
      const timeNs = nanoseconds(mean);
      if (key === null || !(timeNs > 0 && Number.isFinite(timeNs))) {
        skipped.push(`${folder}/${fileName}`);
        continue;
      }
      const text = suiteKeyText(key);
      const other = byKey.get(text);
      if (other !== undefined) {
        const both = `${quote(other.fileName)} and ${quote(fileName)}`;
        throw new KernelBotError("unprocessable", `${both} are both of ${text}: keep one of them`);
      }
      byKey.set(text, { ...key, fileName, timeNs });
    }
  }
  return { times: [...byKey.values()].sort(byKernelKey), skipped };
}

function keyOf(folder: string, fileName: string): SuiteKey | null {
  const level = Level.safeParse(Number(/^level(\d)$/.exec(folder)?.[1]));
  const key = { level: level.data, problem: Number(/^(\d{1,3})_/.exec(fileName)?.[1]) };
  return SuiteKey.safeParse(key).data ?? null;
}

/** To whole picoseconds, so that equal decimals are equal times: 16.4 ms are 16400000 ns, and no fraction less. */
function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e9) / 1e3;
}
