import { z } from "zod";
import { RunArtifact } from "./artifact.ts";
import { AccountName } from "./board.ts";
import { Author, AuthorKind, Licence, ModelName } from "./declaration.ts";
import { DuelResult } from "./duel.ts";
import { Floor } from "./floor.ts";
import { KernelBotError, quote } from "./errors.ts";
import { EXTENSIONS, languageOf, LANGUAGES, type Language } from "./language.ts";
import { Machine } from "./machine.ts";
import { Removal } from "./moderation.ts";
import { ProblemName, TargetName, type ProblemSpec } from "./problem-spec.ts";
import { CaseScore, deviceOf, Interval, Score } from "./score.ts";
import { CaseFinished, Output, ReviewFinding } from "./tester.ts";
import { FailureClass, Mode, RunState, Stage, Verdict, VERDICTS } from "./words.ts";

/** The largest submission, in bytes of UTF-8. */
export const MAX_SOURCE_BYTES = 1_000_000;

/** Why a name cannot be that of a file, which it becomes, and appears in terminals and pages; null where it can. */
export function fileNameFault(name: string): string | null {
  if (/[/\\]/.test(name) || name === "." || name === "..") return "may not have a path in it";
  // Control and format characters, separators of lines, and lone surrogates: what could disguise the name.
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) return "may not have control characters in it";
  return name.trim() === "" ? "is blank" : null;
}

const FileName = z.string().min(1, "give the file a name").max(200, "use at most 200 characters");

/** What a face hands to intake. The sizes of `source` and its text are checked there, with sentences of their own. */
export const SubmitRequest = z.strictObject({
  board: ProblemName,
  targets: z.array(TargetName).min(1, "name a target").max(16, "name at most 16 targets"),
  mode: Mode,
  fileName: FileName,
  source: z.string(),
  /** Undeclared where it is left out. */
  author: AuthorKind.optional(),
  /** The model's name; needed where it is the author by itself. */
  model: ModelName.optional(),
  /** Null refuses publication; left out, the competition's or the account's own choice holds. */
  licence: Licence.nullable().optional(),
  /** Whether published data has it under a pseudonym; left out, the account's own choice holds. */
  anonymous: z.boolean().optional(),
  /** B, where the file is A: mode `duel` needs it, and no other takes it. */
  rival: z.strictObject({ fileName: FileName, source: z.string() }).optional(),
});
export type SubmitRequest = z.infer<typeof SubmitRequest>;

/** A run in a list: everything but its samples. */
export const RunSummary = z.object({
  id: z.number().int(),
  target: TargetName,
  /** 0 for the run that was asked for; n for the nth time that it was run again on fresh seeds. */
  rerun: z.number().int().nonnegative().default(0),
  /** The edition of its board to which it took the submission over from a former one; absent of all others. */
  carriedTo: z.int().positive().optional(),
  state: RunState,
  /** Null until the run is done. */
  verdict: Verdict.nullable(),
  failureClass: FailureClass.nullable(),
  /** One sentence for the participant: why it failed. */
  message: z.string().nullable(),
  attempt: z.number().int().nonnegative(),
  /** The stage that is running; null before and after. */
  stage: Stage.nullable(),
  /** 1 is next; null unless queued. */
  queuePosition: z.number().int().positive().nullable(),
  /** How long until it is claimed, with 95 % confidence, if no other comes in between; null unless queued, and where that is not known. */
  expectedWaitMs: Interval.nullable().default(null),
  score: Score.omit({ cases: true }).nullable(),
  unsandboxed: z.boolean(),
  /** True where the problem's own harness checked and timed, in one process tree with the submission. */
  legacyHarness: z.boolean(),
  /** True where it was judged elsewhere, before it came here: of how it went nothing is known but what stands here. */
  imported: z.boolean().default(false),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** A stage of a run as it was reported. */
export const StageResult = z.object({
  stage: Stage,
  /** Null while it runs. */
  passed: z.boolean().nullable(),
  durationNs: z.number().nullable(),
  cases: z.array(
    CaseFinished.omit({ type: true, stage: true }).extend({
      score: CaseScore.nullable(),
      /** The least time that its machine needs for the case; null where that is not known. */
      floor: Floor.nullable().default(null),
    }),
  ),
  output: Output.omit({ type: true, stage: true }).nullable(),
});
export type StageResult = z.infer<typeof StageResult>;

/** A run whole: with stages, cases and samples. */
export const RunDetail = RunSummary.extend({
  submissionId: z.number().int(),
  board: ProblemName,
  mode: Mode,
  problemVersion: z.string(),
  /** The participant's own traceback or compile log. */
  detail: z.string().nullable(),
  machine: Machine.nullable(),
  stages: z.array(StageResult),
  /** Who won; null unless it is a duel that was judged. */
  duel: DuelResult.nullable().default(null),
  /** What the static review found: for the owner and for moderators. It decides nothing. */
  review: z.array(ReviewFinding).default([]),
  /** What can be fetched of it besides, by name. */
  artifacts: z.array(RunArtifact).default([]),
});
export type RunDetail = z.infer<typeof RunDetail>;

export const Submission = z.object({
  id: z.number().int(),
  account: AccountName,
  board: ProblemName,
  mode: Mode,
  fileName: z.string(),
  /** SHA-256 of the source in hexadecimal. */
  sourceHash: z.string(),
  /** B of a duel; null in any other mode. */
  rival: z.object({ fileName: z.string(), sourceHash: z.string() }).nullable().default(null),
  problemVersion: z.string(),
  createdAt: z.iso.datetime(),
  author: Author,
  /** Under which its author lets it be published; null where he does not. */
  licence: Licence.nullable(),
  /** The number of its latest event: a reader asks for what follows it. */
  lastEvent: z.number().int(),
  /** Null where it was not removed. */
  removed: Removal.nullable().default(null),
  /** Where it was imported from, and its number there; null for what was submitted here. */
  imported: z.object({ source: z.string(), submission: z.int() }).nullable().default(null),
  runs: z.array(RunSummary),
});
export type Submission = z.infer<typeof Submission>;

/** How far the stage of a run is that runs now. */
export interface StageProgress {
  runId: number;
  /** When the stage began. */
  since: string;
  /** Null where the judge has not told. */
  rounds: { done: number; total: number } | null;
  cases: { done: number; total: number };
}

export const OUTCOMES = ["open", ...VERDICTS, "cancelled"] as const;
/** How a run has come out as far as a list is concerned; `open` is not yet. */
export const Outcome = z.enum(OUTCOMES);
export type Outcome = z.infer<typeof Outcome>;

/** Where a page that shows a submission so hears that it is another by now: its log, and its places in the queue. */
export function updatesOf({ id, lastEvent, runs }: Submission): string {
  const places = runs.flatMap(({ queuePosition }) => queuePosition ?? []);
  return `/submissions/${id}/updates?after=${lastEvent}&places=${places.join(".")}`;
}

/** Whether a run that was judged here counts on its board, and so has a receipt. */
export function hasReceipt(run: Pick<RunDetail, "mode" | "verdict" | "imported">): boolean {
  return run.mode === "ranked" && run.verdict === "passed" && !run.imported;
}

/** Whether nothing more will happen to a submission. */
export function isFinished(submission: Pick<Submission, "runs">): boolean {
  return submission.runs.every((run) => run.state === "done" || run.state === "cancelled");
}

/**
 * The language in which a file answers a problem on these targets. C++ is for processors, CUDA C++ for accelerators.
 * @throws KernelBotError `unprocessable` that names the files which are taken.
 */
export function languageFor(
  { name, languages, harness }: Pick<ProblemSpec, "name" | "languages" | "harness">,
  fileName: string,
  targets: readonly string[],
): Language {
  const language = languageOf(fileName);
  const taken = (target: string): Language[] =>
    LANGUAGES.filter((each) => languages[each] !== undefined).filter(
      (each) => each === "py" || harness === "legacy" || (each === "cpp") === (deviceOf(target) === "cpu"),
    );
  const closed = targets.find((target) => language === null || !taken(target).includes(language));
  if (language !== null && closed === undefined) return language;
  const endings = taken(closed ?? "").map((each) => EXTENSIONS[each][0]);
  throw new KernelBotError(
    "unprocessable",
    `${name} takes ${endings.join(" and ") || "no"} files on ${closed}; the name ${quote(fileName)} is that of none`,
  );
}
