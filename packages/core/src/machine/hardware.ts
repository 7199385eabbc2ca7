/**
 * Peak rates of devices: as stated by their makers (`hardware.json`), and as measured by runners.
 *
 *     ratesOf(machine, "H100")   // { memoryBytesPerS: 3.35e12, operationsPerS: 1.979e15, cacheBytes: 52428800, from: "data sheet" }
 */
import { z } from "zod";
import hardware from "./hardware.json" with { type: "json" };
import type { Machine, MeasuredRates } from "./machine.ts";
import { deviceOf } from "../vocabulary/device.ts";

/**
 * Peak rate as stated by the maker; the largest if the maker's documents differ, because the speed-of-light bound must
 * never be too high.
 */
const Peak = z.object({
  value: z.number().positive(),
  unit: z.enum(["GB/s", "GB", "TOPS", "MiB"]),
  note: z.string().optional(),
});

/** Data sheet of an accelerator. */
export const DataSheet = z.object({
  name: z.string(),
  /** Variant to which the figures apply. */
  variant: z.string(),
  /** Regular expression that matches the driver's complete model name. */
  model: z.string(),
  /** Peak memory bandwidth, in 10⁹ bytes per second. */
  memory: Peak.extend({ unit: z.literal("GB/s") }),
  /** Memory size of what a program sees as one device, in 10⁹ bytes. */
  capacity: Peak.extend({ unit: z.literal("GB") }),
  /** Peak dense rate of the fastest precision, in 10¹² operations per second; a multiply-add counts as two. */
  arithmetic: Peak.extend({ unit: z.literal("TOPS"), precision: z.string() }),
  /**
   * Total size of the caches in which outputs may remain when a kernel ends: the last level, and inner levels that it
   * does not include.
   */
  cache: Peak.extend({ unit: z.literal("MiB") }),
  sources: z.array(z.url()).min(1),
});
export type DataSheet = z.infer<typeof DataSheet>;

/** Data sheets of all known accelerators. */
export const DATA_SHEETS: readonly DataSheet[] = z.array(DataSheet).parse(hardware);

/** Returns the data sheet of an accelerator by its driver's model name, or null if unknown. */
export function dataSheetOf(model: string): DataSheet | null {
  return DATA_SHEETS.find((sheet) => new RegExp(`^(?:${sheet.model})$`).test(model)) ?? null;
}

/**
 * Returns the data sheets that match a target, such as `A100`, `MI300`, `H100x8` or `B200_lab`: one per variant; empty
 * if unknown.
 */
export function sheetsOf(target: string): DataSheet[] {
  const [device = ""] = target.replace(/x\d+$/, "").split(/[_.-]/);
  return DATA_SHEETS.filter(({ name }) =>
    name.split(" ").some((word) => word.startsWith(device) && !/^\d/.test(word.slice(device.length))),
  );
}

/**
 * Returns the memory size in bytes of the smallest device that matches a target (one device for `H100x8`); null if
 * unknown.
 */
export function capacityOf(target: string): number | null {
  const named = sheetsOf(target);
  return named.length === 0 ? null : Math.min(...named.map(({ capacity }) => capacity.value * 1e9));
}

/** Peak rates of a device. */
export interface PeakRates {
  /** Infinite if unknown. */
  memoryBytesPerS: number;
  /** Infinite if unknown. */
  operationsPerS: number;
  /** Maximum number of output bytes that may still be in caches when a kernel ends; infinite if unknown. */
  cacheBytes: number;
  from: "data sheet" | "measured";
}

/**
 * Factors by which the real peak may exceed the measurement. Memory: other load on the machine has reduced a probe by
 * 47 %, and writes may have separate paths from reads. Arithmetic: a kernel may use 8-bit elements where the probe uses
 * wider ones, a factor of 8 (ARM's i8mm compared with float32; 4 for AVX-512 VNNI); the rest allows for other load and
 * for a library without support for the processor.
 */
export const MEASURED_MARGIN = { memory: 2, arithmetic: 16 } as const;

/** Returns the peak rates of a machine's device for a target, or null if unknown. */
export function peakRatesOf(machine: z.input<typeof Machine>, target: string): PeakRates | null {
  if (deviceOf(target) === "cpu") return cpuRates(machine);
  // A machine has only one kind of accelerator, and a kernel runs on one of them.
  const [accelerator] = machine.accelerators;
  if (accelerator === undefined) return null;
  const sheet = dataSheetOf(accelerator.model);
  return sheet === null ? measuredRates(accelerator.measured) : statedRates(sheet, accelerator.measured ?? null);
}

/** Evicted inputs are known to be in memory only on x86: elsewhere a system-level cache may keep them. */
function cpuRates({ arch, cpu }: z.input<typeof Machine>): PeakRates | null {
  const rates = measuredRates(cpu.measured);
  return rates === null || arch === "x86_64" ? rates : { ...rates, memoryBytesPerS: Infinity };
}

/**
 * No margin, because no kernel reaches the peak of a data sheet. Measured rates may be higher, because a card may be
 * clocked above its data sheet.
 */
function statedRates({ memory, arithmetic, cache }: DataSheet, measured: MeasuredRates | null): PeakRates {
  return {
    memoryBytesPerS: Math.max(memory.value * 1e9, measured?.memoryBytesPerS ?? 0),
    operationsPerS: Math.max(arithmetic.value * 1e12, measured?.operationsPerS ?? 0),
    cacheBytes: cache.value * 2 ** 20,
    from: "data sheet",
  };
}

/** Reported cache sizes are not used, because a virtual machine may share a larger cache than it reports. */
function measuredRates(measured: MeasuredRates | null | undefined): PeakRates | null {
  if (measured === null || measured === undefined) return null;
  const { memoryBytesPerS, operationsPerS } = measured;
  return {
    memoryBytesPerS: memoryBytesPerS * MEASURED_MARGIN.memory,
    operationsPerS: (operationsPerS ?? Infinity) * MEASURED_MARGIN.arithmetic,
    cacheBytes: Infinity,
    from: "measured",
  };
}
