/** Stored baselines: times of the models of a suite, measured once on the stated hardware. */
import { z } from "zod";
import { KernelBotError, quote } from "../errors.ts";
import { byKernelKey, Level, SuiteKey, suiteKeyText } from "./key.ts";

export const BaselineId = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,99}$/, "use letters, digits, _, - and . (at most 100)");

export const BaselineKind = z.enum(["eager", "compiled"]);
/** Whether the models were timed in eager mode or compiled by torch.compile. */
export type BaselineKind = z.infer<typeof BaselineKind>;

/** File of KernelBench's `baselines/` folder: measurements in milliseconds by level and file name. */
export const BaselineFile = z.record(z.string(), z.record(z.string(), z.looseObject({ mean: z.number() })));
export type BaselineFile = z.infer<typeof BaselineFile>;

/** Request to store a baseline. */
export const BaselineUpload = z.strictObject({
  id: BaselineId,
  /**
   * Device name as in entries, such as `NVIDIA H100 80GB HBM3`; entries of other devices cannot be scored against the
   * baseline.
   */
  hardware: z.string().min(1).max(200),
  kind: BaselineKind,
  file: BaselineFile,
});
export type BaselineUpload = z.infer<typeof BaselineUpload>;

/** Measured time of one model. */
export const BaselineTime = SuiteKey.extend({ fileName: z.string(), timeNs: z.number().positive() });
export type BaselineTime = z.infer<typeof BaselineTime>;

/** Baseline as stored. */
export const StoredBaseline = z.object({ ...BaselineUpload.omit({ file: true }).shape, times: z.array(BaselineTime) });
export type StoredBaseline = z.infer<typeof StoredBaseline>;

/**
 * Returns whether entries judged on these devices may be scored against a baseline: all devices must be the baseline's.
 */
export function isSameHardware({ hardware }: Pick<StoredBaseline, "hardware">, devices: readonly string[]): boolean {
  return devices.every((device) => deviceName(device) === deviceName(hardware));
}

/**
 * Requires that `isSameHardware` is true.
 * @throws KernelBotError `unprocessable` otherwise.
 */
export function requireSameHardware(
  baseline: Pick<StoredBaseline, "id" | "hardware">,
  devices: readonly string[],
): void {
  if (isSameHardware(baseline, devices)) return;
  throw new KernelBotError(
    "unprocessable",
    `the baseline ${quote(baseline.id)} was measured on ${quote(baseline.hardware)}, and the entry was judged on ${devices.map(quote).join(", ")}: a speedup over other hardware is meaningless; choose eager, or a baseline of that device`,
  );
}

/**
 * Normalises a device name. The device count is dropped, because a machine with several devices judges on one of them.
 */
function deviceName(text: string): string {
  return text
    .replace(/^\d+ × /, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

/** Times of a baseline file, and the members that were skipped, such as `level1/19_ReLU.py`. */
export interface BaselineTimes {
  times: BaselineTime[];
  skipped: string[];
}

/**
 * Extracts the times of a baseline file, in order. The level and the number in the file name identify the problem.
 * Members of unknown problems are skipped, and so are means that are not positive and finite: unfilled template files
 * contain zeros.
 * @throws KernelBotError `unprocessable` if two members are of the same problem.
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
        throw new KernelBotError("unprocessable", `${both} both have the key ${text}: keep one of them`);
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

/**
 * Converts milliseconds to nanoseconds, rounded to whole picoseconds, so that equal decimals are equal times: 16.4 ms
 * is exactly 16400000 ns.
 */
function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e9) / 1e3;
}
