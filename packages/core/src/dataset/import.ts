/** Import of existing submission data in batches, and the representation of problems that are known only from it. */
import { z } from "zod";
import { CompetitionName, CompetitionSpec } from "../competition/competition.ts";
import { Licence } from "../vocabulary/declaration.ts";
import { PYTHON_ONLY } from "../vocabulary/language.ts";
import { ProblemName, TargetName, type Problem } from "../vocabulary/specification.ts";
import { MAX_SOURCE_BYTES, normalizeSource } from "../submission/source.ts";
import { fileNameFault } from "../submission/file-name.ts";
import { FailureClass } from "../vocabulary/states.ts";

/** Maximum number of rows and bytes of sources in a batch; a single larger source is permitted. */
export const IMPORT_ROWS = 1000;
export const IMPORT_SOURCE_BYTES = 4_000_000;

/** Minimum plausible time in nanoseconds: shorter than any kernel launch. */
export const MIN_PLAUSIBLE_NS = 100;
/** Message of a run with a shorter time. */
export const IMPLAUSIBLE_TIME_MESSAGE = `its source gives a time below ${MIN_PLAUSIBLE_NS} ns, less than any kernel launch takes`;

/** Text that PostgreSQL can store. */
const Text = z
  .string()
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "it contains a NUL or an unpaired surrogate");
const Moment = z.iso.datetime("use a time in UTC, such as 2026-03-01T12:00:00Z");
/** Ids of the source. */
const Count = z.int("use a whole number").min(0, "use a number from 0");

export const ImportedSource = Text.refine(
  (text) => text.length <= MAX_SOURCE_BYTES && new TextEncoder().encode(text).length <= MAX_SOURCE_BYTES,
  `a source may have at most ${MAX_SOURCE_BYTES.toLocaleString("en-US")} bytes`,
).overwrite(normalizeSource);

/** Modes of imported submissions; the source calls `ranked` leaderboard. */
export const ImportedMode = z.enum(
  ["test", "benchmark", "profile", "ranked"],
  "it must be test, benchmark, profile or leaderboard",
);

export const ImportedProblem = z.strictObject({
  number: Count,
  name: ProblemName,
  /** Empty if unknown. */
  description: Text.max(100_000, "use at most 100,000 characters"),
  /** Source code of the reference; null if unknown. */
  reference: Text.max(MAX_SOURCE_BYTES, "it is too long").nullable(),
  targets: z.array(TargetName).max(100),
});
export type ImportedProblem = z.infer<typeof ImportedProblem>;

/** Submission in one mode on one target. */
export const ImportedRow = z
  .strictObject({
    submission: Count,
    /** Null if the source does not number runs. */
    run: Count.nullable(),
    /** Number of the problem. */
    problem: Count,
    userId: z.string().regex(/^[\x21-\x7e]{1,100}$/, "use 1 to 100 printable ASCII characters"),
    /** Null if the source contains no names. */
    userName: Text.max(1000).nullable(),
    fileName: Text.superRefine((name, context) => {
      const fault = fileNameFault(name);
      if (fault !== null) context.addIssue(`it ${fault}`);
    }),
    /** Index of the source code in the batch's `sources`. */
    source: z.int().min(0),
    mode: ImportedMode,
    target: TargetName,
    submittedAt: Moment,
    startedAt: Moment.nullable(),
    finishedAt: Moment.nullable(),
    outcome: z.enum(["passed", "failed", "cancelled"]),
    /** Null if the source does not state a reason. */
    failureClass: FailureClass.nullable(),
    /** Time of a passed ranked run as stated by the source, even if implausible; else null. */
    timeNs: z.number().nullable(),
  })
  .refine((row) => (row.timeNs !== null) === (row.mode === "ranked" && row.outcome === "passed"), {
    path: ["timeNs"],
    message: "only a ranked run that passed has a time, and it must have one",
  })
  .refine((row) => row.failureClass === null || row.outcome === "failed", {
    path: ["failureClass"],
    message: "only a run that failed has one",
  });
export type ImportedRow = z.infer<typeof ImportedRow>;

/** Fields common to all batches of an import. */
export const ImportHead = z
  .strictObject({
    /** Name of the source, which is the namespace of its ids. */
    source: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/, "use letters, digits, ., _, / and - (at most 100)"),
    competition: CompetitionName,
    title: CompetitionSpec.shape.title,
    startsAt: CompetitionSpec.shape.startsAt,
    endsAt: CompetitionSpec.shape.endsAt,
    /**
     * Licence under which the source publishes its rows; null if unknown, in which case they are not exported again.
     */
    licence: Licence.nullable(),
  })
  .refine(({ startsAt, endsAt }) => Date.parse(endsAt) > Date.parse(startsAt), {
    path: ["endsAt"],
    message: "a competition ends after it starts",
  });
export type ImportHead = z.infer<typeof ImportHead>;

/**
 * Batch of an import; sending it again has no effect. A problem must be in the same batch as its rows or in an earlier
 * one.
 */
export const ImportBatch = z.strictObject({
  head: ImportHead,
  /** Whether the user ids are Discord ids. */
  discordUsers: z.boolean(),
  problems: z.array(ImportedProblem).max(1000),
  /** Source codes, without duplicates. */
  sources: z.array(ImportedSource).max(IMPORT_ROWS),
  rows: z.array(ImportedRow).max(IMPORT_ROWS),
});
export type ImportBatch = z.infer<typeof ImportBatch>;

/** Result of a batch. */
export const ImportResult = z.object({
  /** Names of the batch's problems on this server. */
  problems: z.array(z.object({ number: z.int(), name: ProblemName })),
  /** Number of runs created, including quarantined ones. */
  made: z.int(),
  /** Number of created runs with an implausibly short time. */
  quarantined: z.int(),
  /** Number of rows that had been imported before. */
  known: z.int(),
  /** Number of rows that repeat the submission, mode and target of an earlier row, which is kept. */
  repeated: z.int(),
  /** Number of accounts created. */
  accounts: z.int(),
});
export type ImportResult = z.infer<typeof ImportResult>;

/**
 * Returns a problem of which only results are known: its harness, cases and checks are not. The remaining required
 * fields are placeholders; `harness: "imported"` marks them, so that no page shows them and no runner receives them.
 */
export function importedProblem({ name, description, reference, targets }: ImportedProblem): Problem {
  return {
    spec: {
      name,
      description,
      lang: "py",
      languages: PYTHON_ONLY,
      templates: {},
      tests: [],
      benchmarks: [],
      targets: Object.fromEntries(targets.map((target) => [target, {}])),
      outputs: 1,
      tolerance: null,
      rankingBy: "last",
      stop: "rounds",
      regime: "isolated",
      timeoutsS: { prepare: 1, test: 1, benchmark: 1, ranked: 1, profile: 1 },
      harness: "imported",
      main: null,
      submissionName: "submission.py",
    },
    files: reference === null ? {} : { "reference.py": reference },
  };
}
