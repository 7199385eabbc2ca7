/** An entry: the kernels of one model for a suite, as they are submitted, evaluated and shown. */
import { z } from "zod";
import { AccountName } from "../board.ts";
import { TargetName } from "../problem-spec.ts";
import { Interval } from "../score.ts";
import { FailureClass } from "../words.ts";
import { KernelKey } from "./key.ts";
import { EntryScore } from "./score.ts";
import { SuiteName } from "./suite.ts";

/** Of one kernel, and of an entry's whole file. */
export const MAX_KERNEL_BYTES = 256_000;
export const MAX_ENTRY_BYTES = 32_000_000;
/** A hundred samples for each of 250 problems. */
export const MAX_KERNELS = 25_000;

export const BACKENDS = ["pytorch", "cuda", "hip", "triton", "cute", "tilelang", "thunderkittens"] as const;
/** What its kernels are written in. */
export const Backend = z.enum(BACKENDS);
export type Backend = z.infer<typeof Backend>;

/** As a database stores it. */
const Text = z
  .string()
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "use a text without NUL and halves of characters");
const Line = Text.max(200, "use at most 200 characters");

/** `metadata` of a submission file; what others wrote into it besides is kept out. */
export const EntryMetadata = z.object({
  display_name: Line.regex(/\S/, "name the model"),
  organization: Line.default(""),
  run_name: z
    .string()
    .regex(/^[\w.-]{1,100}$/, "use letters, digits, _, - and . (at most 100)")
    .optional(),
  notes: Text.max(5000, "use at most 5000 characters").default(""),
  backend: Backend.optional(),
});
export type EntryMetadata = z.infer<typeof EntryMetadata>;

/** A submission file: kernels by key, each with a class ModelNew. */
export const EntryFile = z.object({ metadata: EntryMetadata, kernels: z.record(z.string(), z.string()) });
export type EntryFile = z.infer<typeof EntryFile>;

/** What is wrong with a file, or worth a look, and where. */
export const EntryFault = z.object({
  /** Of the kernel, or `metadata.display_name`; null for the file as a whole. */
  key: z.string().max(300).nullable(),
  /** An error refuses the file; a warning does not. */
  severity: z.enum(["error", "warning"]),
  what: z.string().max(1000),
});
export type EntryFault = z.infer<typeof EntryFault>;

/** What validation found. */
export const EntryCheck = z.object({
  ok: z.boolean(),
  faults: z.array(EntryFault),
  /** How many kernels it has for the problems of each level, sample 0 alone, and how many problems there are. */
  levels: z.array(z.object({ level: z.number().int(), submitted: z.number().int(), problems: z.number().int() })),
  /** All of its kernels, every sample. */
  kernels: z.number().int(),
});
export type EntryCheck = z.infer<typeof EntryCheck>;

/** What is asked for with an entry besides its file. */
export const EntryRequest = z.strictObject({
  suite: SuiteName,
  target: TargetName,
  file: EntryFile,
  /** Whether the compiled model is timed in each session too. The eager one always is. */
  compiledBaseline: z.boolean().default(false),
});
export type EntryRequest = z.infer<typeof EntryRequest>;

export const KERNEL_STATES = ["waiting", "queued", "running", "done", "lost"] as const;
/** Where a kernel is: not asked for yet or stopped, on its way, judged, or lost to the infrastructure. */
export const KernelState = z.enum(KERNEL_STATES);
export type KernelState = z.infer<typeof KernelState>;

/** The timed calls of a kernel, as they were measured; in nanoseconds. */
export const SampleStatistics = z.object({
  count: z.number().int().positive(),
  meanNs: z.number().positive(),
  /** Null for a single call. */
  stdNs: z.number().nonnegative().nullable(),
  minNs: z.number().positive(),
  maxNs: z.number().positive(),
});
export type SampleStatistics = z.infer<typeof SampleStatistics>;

/** How a kernel came out. */
export const KernelResult = KernelKey.extend({
  state: KernelState,
  /** SHA-256 of the source in hexadecimal. */
  sourceHash: z.string(),
  submissionId: z.number().int().nullable(),
  runId: z.number().int().nullable(),
  /** Whether it was built and imported; null until it is judged, as the next two. */
  compiled: z.boolean().nullable(),
  /** Whether every output was within the tolerance. */
  correct: z.boolean().nullable(),
  /** Whether every output was within the tolerance, or no farther from the result in float64 than the model itself. */
  correctByOracle: z.boolean().nullable(),
  failureClass: FailureClass.nullable(),
  message: z.string().nullable(),
  /** The estimate that speed-ups are computed from; null where it was not timed. */
  timeNs: Interval.nullable(),
  /** Statistics of the calls that the estimate is made of; null where it was not timed. */
  samples: SampleStatistics.nullable().default(null),
  /** Of the eager and of the compiled model in the same session. */
  eagerNs: Interval.nullable(),
  compiledNs: Interval.nullable(),
  /**
   * How many times as fast as the eager and as the compiled model, from rounds taken side by side, as the page of the run shows
   * it; absent or null where there are no such rounds.
   */
  eagerSpeedup: Interval.nullable().optional(),
  compiledSpeedup: Interval.nullable().optional(),
  /** Whether its time is under what the hardware needs at least, so that it is left out of the robust figures. */
  belowFloor: z.boolean(),
});
export type KernelResult = z.infer<typeof KernelResult>;

/** An entry in a list. */
export const EntrySummary = z.object({
  id: z.number().int(),
  account: AccountName,
  suite: SuiteName,
  suiteVersion: z.string(),
  target: TargetName,
  metadata: EntryMetadata,
  createdAt: z.iso.datetime(),
  /** Null for a draft, which its account and moderators see alone. */
  publishedAt: z.iso.datetime().nullable(),
  /** Of all kernels, how many are in each state. */
  progress: z.record(KernelState, z.number().int()),
  compiledBaseline: z.boolean(),
  score: EntryScore,
});
export type EntrySummary = z.infer<typeof EntrySummary>;

/** An entry whole, its kernels in order. */
export const Entry = EntrySummary.extend({ results: z.array(KernelResult) });
export type Entry = z.infer<typeof Entry>;
