/** KernelBench entry: the kernels of one model for a suite, with its evaluation. */
import { z } from "zod";
import { AccountName } from "../vocabulary/entrant.ts";
import { TargetName } from "../vocabulary/specification.ts";
import { Interval } from "../vocabulary/interval.ts";
import { FailureClass } from "../vocabulary/states.ts";
import { KernelKey } from "./key.ts";
import { KernelBenchScore } from "./score.ts";
import { SuiteName } from "./suite.ts";

/** Maximum size of one kernel and of an entry's file, in bytes. */
export const MAX_KERNEL_BYTES = 256_000;
export const MAX_ENTRY_BYTES = 32_000_000;
/** Maximum number of kernels: 100 samples for each of 250 problems. */
export const MAX_KERNELS = 25_000;

export const BACKENDS = ["pytorch", "cuda", "hip", "triton", "cute", "tilelang", "thunderkittens"] as const;
/** Language or framework in which the kernels are written. */
export const Backend = z.enum(BACKENDS);
export type Backend = z.infer<typeof Backend>;

/** Text that PostgreSQL can store. */
const Text = z
  .string()
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "use text without NUL and unpaired surrogates");
const Line = Text.max(200, "use at most 200 characters");

/** Member `metadata` of a submission file; unknown members are dropped. */
export const KernelBenchEntryMetadata = z.object({
  display_name: Line.regex(/\S/, "name the model"),
  organization: Line.default(""),
  run_name: z
    .string()
    .regex(/^[\w.-]{1,100}$/, "use letters, digits, _, - and . (at most 100)")
    .optional(),
  notes: Text.max(5000, "use at most 5000 characters").default(""),
  backend: Backend.optional(),
});
export type KernelBenchEntryMetadata = z.infer<typeof KernelBenchEntryMetadata>;

/** Submission file: source code of kernels by key, each defines ModelNew. */
export const KernelBenchEntryFile = z.object({
  metadata: KernelBenchEntryMetadata,
  kernels: z.record(z.string(), z.string()),
});
export type KernelBenchEntryFile = z.infer<typeof KernelBenchEntryFile>;

/** Fault of a submission file, with its location. */
export const KernelBenchEntryFault = z.object({
  /** Key of the kernel, or a path such as `metadata.display_name`; null for the file as a whole. */
  key: z.string().max(300).nullable(),
  /** An error rejects the file; a warning does not. */
  severity: z.enum(["error", "warning"]),
  what: z.string().max(1000),
});
export type KernelBenchEntryFault = z.infer<typeof KernelBenchEntryFault>;

/** Result of validating a submission file. */
export const KernelBenchEntryCheck = z.object({
  ok: z.boolean(),
  faults: z.array(KernelBenchEntryFault),
  /** For each level, the number of problems with a sample 0, and the number of problems. */
  levels: z.array(z.object({ level: z.number().int(), submitted: z.number().int(), problems: z.number().int() })),
  /** Number of kernels, all samples included. */
  kernels: z.number().int(),
});
export type KernelBenchEntryCheck = z.infer<typeof KernelBenchEntryCheck>;

/** Request to create an entry. */
export const KernelBenchEntryRequest = z.strictObject({
  suite: SuiteName,
  target: TargetName,
  file: KernelBenchEntryFile,
  /** Whether the compiled model is timed in each session in addition to the eager model. */
  compiledBaseline: z.boolean().default(false),
});
export type KernelBenchEntryRequest = z.infer<typeof KernelBenchEntryRequest>;

export const KERNEL_STATES = ["waiting", "queued", "running", "done", "lost"] as const;
/**
 * State of a kernel: `waiting` is not yet requested or stopped, `queued` and `running` are in progress, `done` is
 * judged, `lost` failed because of the infrastructure.
 */
export const KernelState = z.enum(KERNEL_STATES);
export type KernelState = z.infer<typeof KernelState>;

/** Statistics of the timed calls of a kernel, in nanoseconds. */
export const SampleStatistics = z.object({
  count: z.number().int().positive(),
  meanNs: z.number().positive(),
  /** Null for a single call. */
  stdNs: z.number().nonnegative().nullable(),
  minNs: z.number().positive(),
  maxNs: z.number().positive(),
});
export type SampleStatistics = z.infer<typeof SampleStatistics>;

/** Result of one kernel. */
export const KernelResult = KernelKey.extend({
  state: KernelState,
  /** SHA-256 of the source, in hexadecimal. */
  sourceHash: z.string(),
  submissionId: z.number().int().nullable(),
  runId: z.number().int().nullable(),
  /** Whether the kernel was built and imported; like the next two, null until it is judged. */
  compiled: z.boolean().nullable(),
  /** Whether every output was within the tolerance. */
  correct: z.boolean().nullable(),
  /** Whether every output was within the tolerance, or no farther from the float64 result than the model's. */
  correctByOracle: z.boolean().nullable(),
  failureClass: FailureClass.nullable(),
  message: z.string().nullable(),
  /** Time of one call; null if the kernel was not timed. Speedups over a model of its session are measured with it, in pairs. */
  timeNs: Interval.nullable(),
  /** Statistics of the calls from which `timeNs` is estimated; null if the kernel was not timed. */
  samples: SampleStatistics.nullable().default(null),
  /** Times of the eager and the compiled model in the same session; null if not timed. */
  eagerNs: Interval.nullable(),
  compiledNs: Interval.nullable(),
  /**
   * Speedups over the eager and the compiled model, from the same rounds, as on the page of the run; absent or null
   * without such rounds.
   */
  eagerSpeedup: Interval.nullable().optional(),
  compiledSpeedup: Interval.nullable().optional(),
  /** True if the time is below the speed-of-light bound; the robust figures count the kernel as unsolved. */
  belowSpeedOfLight: z.boolean(),
});
export type KernelResult = z.infer<typeof KernelResult>;

/** Entry in a list. */
export const KernelBenchEntrySummary = z.object({
  id: z.number().int(),
  account: AccountName,
  suite: SuiteName,
  suiteVersion: z.string(),
  target: TargetName,
  metadata: KernelBenchEntryMetadata,
  createdAt: z.iso.datetime(),
  /** Null for a draft, which only its account and moderators see. */
  publishedAt: z.iso.datetime().nullable(),
  /** Number of kernels in each state. */
  progress: z.record(KernelState, z.number().int()),
  compiledBaseline: z.boolean(),
  score: KernelBenchScore,
});
export type KernelBenchEntrySummary = z.infer<typeof KernelBenchEntrySummary>;

/** Entry with the results of its kernels, in order. */
export const KernelBenchEntry = KernelBenchEntrySummary.extend({ results: z.array(KernelResult) });
export type KernelBenchEntry = z.infer<typeof KernelBenchEntry>;
