import { z } from "zod";

/** Rates measured by a short probe when the runner started; the device may have been busy. */
export const MeasuredRates = z.object({
  /** Memory read bandwidth of all cores that a kernel may use. */
  memoryBytesPerS: z.number().positive(),
  /**
   * Rate of a matrix product, counting multiplications and additions: float32 on a CPU, float16 on an accelerator. Null
   * if it would not be indicative of the device's peak rate.
   */
  operationsPerS: z.number().positive().nullable(),
});
export type MeasuredRates = z.infer<typeof MeasuredRates>;

/** Accelerator as its driver describes it. */
export const Accelerator = z.object({
  model: z.string().max(200),
  memoryBytes: z.number().int().nonnegative(),
  /** Compiler's name of the architecture: `sm_90`, `gfx942`; null if the driver does not report it. */
  architecture: z.string().max(40).nullable().default(null),
  /** SM clock at the time of the report, in MHz; null if the driver does not report it. */
  clockMhz: z.number().nonnegative().nullable(),
  measured: MeasuredRates.nullable().default(null),
});

/** Machine on which a run was judged, as reported by its runner. */
export const Machine = z.object({
  hostname: z.string().max(200),
  os: z.string().max(200),
  arch: z.string().max(40),
  cpu: z.object({
    model: z.string().max(200),
    /** Number of logical processors that the runner may use. */
    count: z.number().int().positive(),
    clockMhz: z.number().nonnegative().nullable(),
    measured: MeasuredRates.nullable().default(null),
  }),
  memoryBytes: z.number().int().nonnegative(),
  accelerators: z.array(Accelerator).max(64),
  /** Newest CUDA or HIP version that the driver supports: `CUDA 13.0`, `HIP 7.1`; null without an accelerator. */
  runtime: z.string().max(100).nullable(),
  driver: z.string().max(100).nullable(),
  python: z.string().max(100),
  /** Versions of the frameworks that a submission may import, such as `{ torch: "2.9.0" }`. */
  frameworks: z.record(z.string().max(40), z.string().max(100)),
  /** `none` only if the operator started the runner with --unsafe-no-sandbox. */
  sandbox: z.enum(["bubblewrap", "none"]),
  testerVersion: z.string().max(80),
  /** Name of the official container image in which the runner runs; absent outside of these. */
  image: z.string().max(200).optional(),
});
export type Machine = z.infer<typeof Machine>;

/** Returns a short display name of a machine. */
export function machineName(machine: Pick<Machine, "cpu" | "accelerators">): string {
  const [first] = machine.accelerators;
  if (first === undefined) return `${machine.cpu.model}, ${machine.cpu.count} threads`;
  return machine.accelerators.length > 1 ? `${machine.accelerators.length} × ${first.model}` : first.model;
}
