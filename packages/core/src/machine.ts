import { z } from "zod";

/** What a short probe at the runner's start measured: of a device as it was then, which may have been busy. */
export const Measured = z.object({
  /** Reading memory, by all cores that a kernel may use. */
  memoryBytesPerS: z.number().positive(),
  /** Multiplications and additions of a matrix product: float32 on a processor, float16 on an accelerator. Null where
   * that says nothing of the fastest that the device can do. */
  operationsPerS: z.number().positive().nullable(),
});
export type Measured = z.infer<typeof Measured>;

/** One accelerator as its driver describes it. */
export const Accelerator = z.object({
  model: z.string().max(200),
  memoryBytes: z.number().int().nonnegative(),
  /** As compilers name it: `sm_90`, `gfx942`; null where the driver does not tell. */
  architecture: z.string().max(40).nullable().default(null),
  /** SM clock at the time of asking, in MHz; null where the driver does not tell. */
  clockMhz: z.number().nonnegative().nullable(),
  measured: Measured.nullable().default(null),
});

/** The machine that a run was judged on, as its runner reports it. */
export const Machine = z.object({
  hostname: z.string().max(200),
  os: z.string().max(200),
  arch: z.string().max(40),
  cpu: z.object({
    model: z.string().max(200),
    /** Logical processors that the runner may use. */
    count: z.number().int().positive(),
    clockMhz: z.number().nonnegative().nullable(),
    measured: Measured.nullable().default(null),
  }),
  memoryBytes: z.number().int().nonnegative(),
  accelerators: z.array(Accelerator).max(64),
  /** The newest CUDA that the driver runs, or HIP: `CUDA 13.0`, `HIP 7.1`; or null without an accelerator. */
  runtime: z.string().max(100).nullable(),
  driver: z.string().max(100).nullable(),
  python: z.string().max(100),
  /** Versions of the frameworks that a submission may import, such as `{ torch: "2.9.0" }`. */
  frameworks: z.record(z.string().max(40), z.string().max(100)),
  /** `none` only when the operator started the runner with --unsafe-no-sandbox. */
  sandbox: z.enum(["bubblewrap", "none"]),
  testerVersion: z.string().max(80),
  /** The container image that the runner is in, as its maker calls it; absent where it is in none of ours. */
  image: z.string().max(200).optional(),
});
export type Machine = z.infer<typeof Machine>;

/** One line that names a machine for a person. */
export function machineName(machine: Pick<Machine, "cpu" | "accelerators">): string {
  const [first] = machine.accelerators;
  if (first === undefined) return `${machine.cpu.model}, ${machine.cpu.count} threads`;
  return machine.accelerators.length > 1 ? `${machine.accelerators.length} × ${first.model}` : first.model;
}
