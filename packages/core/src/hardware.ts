/**
 * How fast devices are at most: what their makers state (`hardware.json`), and what runners measure.
 *
 *     ratesOf(machine, "H100")   // { memoryBytesPerS: 3.35e12, operationsPerS: 1.979e15, cacheBytes: 52428800, from: "data sheet" }
 */
import { z } from "zod";
import hardware from "./hardware.json" with { type: "json" };
import type { Machine, Measured } from "./machine.ts";
import { deviceOf } from "./score.ts";

/** A peak rate as its maker states it, or the larger where its papers differ: a floor must never be too high. */
const Peak = z.object({
  value: z.number().positive(),
  unit: z.enum(["GB/s", "GB", "TOPS", "MiB"]),
  note: z.string().optional(),
});

/** What the maker of an accelerator states of it. */
export const DataSheet = z.object({
  name: z.string(),
  /** Which variant these numbers are of. */
  variant: z.string(),
  /** A regular expression for the whole name by which the driver calls it. */
  model: z.string(),
  /** Peak bandwidth of the device's memory, in 10⁹ bytes per second. */
  memory: Peak.extend({ unit: z.literal("GB/s") }),
  /** How much of it there is, in 10⁹ bytes: of what a program sees as one device. */
  capacity: Peak.extend({ unit: z.literal("GB") }),
  /** The fastest dense rate of any precision, in 10¹² operations per second; a multiplication with an addition is two. */
  arithmetic: Peak.extend({ unit: z.literal("TOPS"), precision: z.string() }),
  /** All caches in which outputs may rest when a kernel is done: the last level, and those before it that are not in it. */
  cache: Peak.extend({ unit: z.literal("MiB") }),
  sources: z.array(z.url()).min(1),
});
export type DataSheet = z.infer<typeof DataSheet>;

/** Every accelerator whose rates we know. */
export const DATA_SHEETS: readonly DataSheet[] = z.array(DataSheet).parse(hardware);

/** The data sheet of an accelerator by its driver's name for it, or null where we have none. */
export function dataSheetOf(model: string): DataSheet | null {
  return DATA_SHEETS.find((sheet) => new RegExp(`^(?:${sheet.model})$`).test(model)) ?? null;
}

/** The data sheets of what a target names, as `A100`, `MI300`, `H100x8` or `B200_lab`: several where it has variants, else none. */
export function sheetsOf(target: string): DataSheet[] {
  const [device = ""] = target.replace(/x\d+$/, "").split(/[_.-]/);
  return DATA_SHEETS.filter(({ name }) =>
    name.split(" ").some((word) => word.startsWith(device) && !/^\d/.test(word.slice(device.length))),
  );
}

/** The memory in bytes of the smallest device that a target names, of `H100x8` that of one; null where we have no data sheet. */
export function capacityOf(target: string): number | null {
  const named = sheetsOf(target);
  return named.length === 0 ? null : Math.min(...named.map(({ capacity }) => capacity.value * 1e9));
}

/** The most that a device can do. */
export interface Rates {
  /** Infinite where it is not known. */
  memoryBytesPerS: number;
  /** Infinite where it is not known. */
  operationsPerS: number;
  /** How many bytes of output may not have reached memory when a kernel is done; infinite where it is not known. */
  cacheBytes: number;
  from: "data sheet" | "measured";
}

/**
 * How many times faster than measured a device may be. Memory: other work on the machine has been seen to take 47 % from a
 * probe, and writes may have paths of their own beside the reads. Arithmetic: a kernel may use 8-bit elements where the
 * probe has wider ones, which is worth a factor of 8 (ARM's i8mm beside its float32; 4 for AVX-512 VNNI); the rest is for other work and
 * for a library that does not know the processor.
 */
export const MEASURED_MARGIN = { memory: 2, arithmetic: 16 } as const;

/** The rates of the device of a machine that a target names, or null where nothing is known of it. */
export function ratesOf(machine: z.input<typeof Machine>, target: string): Rates | null {
  if (deviceOf(target) === "cpu") return cpuRates(machine);
  // A machine has one kind of accelerator, and a kernel one of them.
  const [accelerator] = machine.accelerators;
  if (accelerator === undefined) return null;
  const sheet = dataSheetOf(accelerator.model);
  return sheet === null ? measuredRates(accelerator.measured) : statedRates(sheet, accelerator.measured ?? null);
}

/** Only on x86 are evicted inputs known to be in memory: elsewhere a cache beside the memory may keep them. */
function cpuRates({ arch, cpu }: z.input<typeof Machine>): Rates | null {
  const rates = measuredRates(cpu.measured);
  return rates === null || arch === "x86_64" ? rates : { ...rates, memoryBytesPerS: Infinity };
}

/** No margin: no kernel reaches the peak of a data sheet. But a card may be clocked higher than its data sheet knows. */
function statedRates({ memory, arithmetic, cache }: DataSheet, measured: Measured | null): Rates {
  return {
    memoryBytesPerS: Math.max(memory.value * 1e9, measured?.memoryBytesPerS ?? 0),
    operationsPerS: Math.max(arithmetic.value * 1e12, measured?.operationsPerS ?? 0),
    cacheBytes: cache.value * 2 ** 20,
    from: "data sheet",
  };
}

/** Nothing is believed of caches: a virtual machine may share one that is larger than it knows. */
function measuredRates(measured: Measured | null | undefined): Rates | null {
  if (measured === null || measured === undefined) return null;
  const { memoryBytesPerS, operationsPerS } = measured;
  return {
    memoryBytesPerS: memoryBytesPerS * MEASURED_MARGIN.memory,
    operationsPerS: (operationsPerS ?? Infinity) * MEASURED_MARGIN.arithmetic,
    cacheBytes: Infinity,
    from: "measured",
  };
}
