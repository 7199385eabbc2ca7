/** Imports: rows of the existing corpus, in batches, and what becomes of a problem of which only its past is known. */
import { z } from "zod";
import { CompetitionName, CompetitionSpec } from "../competition.ts";
import { Licence } from "../declaration.ts";
import { PYTHON_ALONE } from "../language.ts";
import { ProblemName, TargetName, type Problem } from "../problem-spec.ts";
import { fileNameFault, MAX_SOURCE_BYTES } from "../submission.ts";
import { FailureClass } from "../words.ts";

/** Rows and bytes of sources that a batch has at most, but for a single larger source. */
export const IMPORT_ROWS = 1000;
export const IMPORT_SOURCE_BYTES = 4_000_000;

/** A shorter time is none that a kernel can take: no launch is as short. */
export const LEAST_PLAUSIBLE_NS = 100;
/** What is said of a run with a shorter one. */
export const IMPLAUSIBLE_WORDS = `its source gives a time below ${LEAST_PLAUSIBLE_NS} ns, which no kernel can be done in`;

/** As a database stores it. */
const Text = z
  .string()
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "it has a NUL or a half of a character");
const Moment = z.iso.datetime("use a moment in UTC, such as 2026-03-01T12:00:00Z");
/** Numbers that the source gives. */
const Count = z.int("use a whole number").min(0, "use a number from 0");

export const ImportedSource = Text.refine(
  (text) => text.length <= MAX_SOURCE_BYTES && new TextEncoder().encode(text).length <= MAX_SOURCE_BYTES,
  `a source has ${MAX_SOURCE_BYTES.toLocaleString("en-US")} bytes at most`,
);

/** The modes in which submissions of the corpus ran; a ranked run is called leaderboard there. */
export const ImportedMode = z.enum(
  ["test", "benchmark", "profile", "ranked"],
  "it is none of test, benchmark, profile and leaderboard",
);

export const ImportedProblem = z.strictObject({
  number: Count,
  name: ProblemName,
  /** Empty where it is not known. */
  description: Text.max(100_000, "use at most 100,000 characters"),
  /** Source of the reference; null where it is not known. */
  reference: Text.max(MAX_SOURCE_BYTES, "it is too long").nullable(),
  targets: z.array(TargetName).max(100),
});
export type ImportedProblem = z.infer<typeof ImportedProblem>;

/** A submission in one mode on one target. */
export const ImportedRow = z
  .strictObject({
    submission: Count,
    /** Null where the source does not number runs. */
    run: Count.nullable(),
    /** The number of its problem. */
    problem: Count,
    userId: z.string().regex(/^[\x21-\x7e]{1,100}$/, "use 1 to 100 printable ASCII characters"),
    /** Null where the source tells no names. */
    userName: Text.max(1000).nullable(),
    fileName: Text.max(200, "use at most 200 characters").superRefine((name, context) => {
      const fault = fileNameFault(name);
      if (fault !== null) context.addIssue(`it ${fault}`);
    }),
    /** The place of its source in the batch. */
    source: z.int().min(0),
    mode: ImportedMode,
    target: TargetName,
    submittedAt: Moment,
    startedAt: Moment.nullable(),
    finishedAt: Moment.nullable(),
    outcome: z.enum(["passed", "failed", "cancelled"]),
    /** Null where the source does not say why it failed. */
    failureClass: FailureClass.nullable(),
    /** The time that its source gives a ranked run that passed, whether a kernel can have it or not. */
    timeNs: z.number().nullable(),
  })
  .refine((row) => (row.timeNs !== null) === (row.mode === "ranked" && row.outcome === "passed"), {
    path: ["timeNs"],
    message: "a ranked run that passed has a time, and no other has one",
  })
  .refine((row) => row.failureClass === null || row.outcome === "failed", {
    path: ["failureClass"],
    message: "only a run that failed has one",
  });
export type ImportedRow = z.infer<typeof ImportedRow>;

/** What all batches of an import say. */
export const ImportHead = z
  .strictObject({
    /** Where the rows are from; with it their numbers mean something. */
    source: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/, "use letters, digits, ., _, / and - (at most 100)"),
    competition: CompetitionName,
    title: CompetitionSpec.shape.title,
    startsAt: CompetitionSpec.shape.startsAt,
    endsAt: CompetitionSpec.shape.endsAt,
    /** Under which the source publishes its rows; null where it does not say, and then they are not exported again. */
    licence: Licence.nullable(),
  })
  .refine(({ startsAt, endsAt }) => Date.parse(endsAt) > Date.parse(startsAt), {
    path: ["endsAt"],
    message: "a competition ends after it starts",
  });
export type ImportHead = z.infer<typeof ImportHead>;

/** A batch sent again changes nothing. A problem comes with or before its rows. */
export const ImportBatch = z.strictObject({
  head: ImportHead,
  /** Whether the users' ids are those of their Discord accounts. */
  discordUsers: z.boolean(),
  problems: z.array(ImportedProblem).max(1000),
  /** Each once. */
  sources: z.array(ImportedSource).max(IMPORT_ROWS),
  rows: z.array(ImportedRow).max(IMPORT_ROWS),
});
export type ImportBatch = z.infer<typeof ImportBatch>;

/** What became of a batch. */
export const ImportAnswer = z.object({
  /** What the problems of the batch are called here. */
  problems: z.array(z.object({ number: z.int(), name: ProblemName })),
  /** Runs made, the quarantined ones included. */
  made: z.int(),
  /** Of these, runs that are faster than a kernel can be. */
  quarantined: z.int(),
  /** Rows that were imported before. */
  known: z.int(),
  /** Rows that repeat a run of the same submission, mode and target, of which the first one stands. */
  repeated: z.int(),
  /** Accounts made. */
  accounts: z.int(),
});
export type ImportAnswer = z.infer<typeof ImportAnswer>;

/**
 * A problem of which its past is known and nothing else: what its harness checked and timed, and how, is not. What else
 * the shape of a problem demands has no meaning here: `harness` says so, no face shows it, and no runner gets it.
 */
export function importedProblem({ name, description, reference, targets }: ImportedProblem): Problem {
  return {
    spec: {
      name,
      description,
      lang: "py",
      languages: PYTHON_ALONE,
      templates: {},
      tests: [],
      benchmarks: [],
      targets: Object.fromEntries(targets.map((target) => [target, {}])),
      outputs: 1,
      tolerance: null,
      rankingBy: "last",
      stop: "rounds",
      timeoutsS: { prepare: 1, test: 1, benchmark: 1, ranked: 1, profile: 1 },
      harness: "imported",
      main: null,
      submissionName: "submission.py",
    },
    files: reference === null ? {} : { "reference.py": reference },
  };
}
