/** What moderators look at, and what they decide: why, in public, and open to one appeal. */
import { z } from "zod";
import { AccountName } from "./board.ts";
import { ProblemName, TargetName } from "./problem-spec.ts";
import { ReviewFinding } from "./tester.ts";
import { FailureClass, Verdict } from "./words.ts";

/** Why a moderator acts: public where the thing itself is. */
export const Reason = z.string().trim().min(1, "give a reason").max(1000, "use at most 1000 characters");

/** What a moderator says with an act upon one thing. */
export const ReasonRequest = z.strictObject({ reason: Reason });

/** A submission that is on no board and shown to nobody but its owner and moderators. */
export const Removal = z.object({
  at: z.iso.datetime(),
  by: z.enum(["owner", "moderator"]),
  /** Null where its owner removed it. */
  reason: z.string().nullable(),
});
export type Removal = z.infer<typeof Removal>;

/** `removed by a moderator: copied`, `removed by its owner`. */
export function removalWords({ by, reason }: Removal): string {
  return by === "owner" ? "removed by its owner" : `removed by a moderator: ${reason}`;
}

/** An account that is to be banned, or not any more. */
export const BanRequest = z.strictObject({
  account: z.string().min(1, "name an account").max(200, "use at most 200 characters"),
  reason: Reason,
});
export type BanRequest = z.infer<typeof BanRequest>;

/** Whether an account is banned. */
export const BanStanding = z.object({
  account: AccountName,
  bannedAt: z.iso.datetime().nullable(),
  /** Why, or null where it is not banned. */
  reason: z.string().nullable(),
});
export type BanStanding = z.infer<typeof BanStanding>;

export const FLAG_CHECKS = ["judge", "floor", "no_score", "rerun", "moderator", "report"] as const;
/** What brought a run before a moderator. */
export const FlagCheck = z.enum(FLAG_CHECKS);
export type FlagCheck = z.infer<typeof FlagCheck>;

export const CHECK_WORDS: Readonly<Record<FlagCheck, string>> = {
  judge: "the judge",
  floor: "the hardware floor",
  no_score: "no score",
  rerun: "a re-run on fresh seeds",
  moderator: "a moderator",
  report: "a report",
};

/** One thing that speaks against a run and is not decided yet. */
export const Flag = z.object({
  check: FlagCheck,
  at: z.iso.datetime(),
  message: z.string(),
  /** Who says so, where it is a person. */
  by: AccountName.nullable(),
  /** The re-run that is the evidence. */
  evidenceRunId: z.number().int().nullable(),
});
export type Flag = z.infer<typeof Flag>;

/** A run before a moderator. It is on no board, unless all that speaks against it are reports. */
export const QuarantineItem = z.object({
  runId: z.number().int(),
  submissionId: z.number().int(),
  account: AccountName,
  board: ProblemName,
  target: TargetName,
  fileName: z.string(),
  verdict: Verdict,
  finishedAt: z.iso.datetime(),
  flags: z.array(Flag),
  review: z.array(ReviewFinding),
});
export type QuarantineItem = z.infer<typeof QuarantineItem>;

export const DECISION_ACTS = ["accept", "reject", "remove", "restore", "ban", "unban", "uphold"] as const;
/** What a moderator decided. `uphold` answers an appeal: the decision before stands. */
export const DecisionAct = z.enum(DECISION_ACTS);
export type DecisionAct = z.infer<typeof DecisionAct>;

/** The decisions that one may appeal against, and what it is to grant the appeal. */
export const REVERSALS = { reject: "accept", remove: "restore", ban: "unban" } as const satisfies Partial<
  Record<DecisionAct, DecisionAct>
>;
export type Appealable = keyof typeof REVERSALS;

export function isAppealable(act: DecisionAct): act is Appealable {
  return Object.hasOwn(REVERSALS, act);
}

/** A decision with its appeal and the answer to it, as the one whom it concerns reads it. */
export const Decision = z.object({
  id: z.number().int(),
  at: z.iso.datetime(),
  act: DecisionAct,
  /** Whom it concerns. */
  account: AccountName,
  submissionId: z.number().int().nullable(),
  runId: z.number().int().nullable(),
  reason: z.string(),
  appeal: z.object({ at: z.iso.datetime(), text: z.string() }).nullable(),
  answer: z.object({ at: z.iso.datetime(), act: DecisionAct, reason: z.string() }).nullable(),
});
export type Decision = z.infer<typeof Decision>;
export const DecisionList = z.object({ decisions: z.array(Decision) });

export const AppealRequest = z.strictObject({
  text: z.string().trim().min(1, "say why it should be decided otherwise").max(4000, "use at most 4000 characters"),
});
/** The answer to an appeal: the decision is turned round, or stands. */
export const AnswerRequest = z.strictObject({ grant: z.boolean(), reason: Reason });
export type AnswerRequest = z.infer<typeof AnswerRequest>;

/** All that waits for a moderator, the oldest first. */
export const ModerationQueue = z.object({
  items: z.array(QuarantineItem),
  /** Decisions whose appeals are not answered, each with who decided: another had better answer. */
  appeals: z.array(Decision.extend({ decidedBy: AccountName })),
});
export type ModerationQueue = z.infer<typeof ModerationQueue>;

/** What the log says of a run that was flagged, and of what was decided. */
export const RunFlagged = z.object({ type: z.literal("run_flagged"), check: FlagCheck, message: z.string() });
export const RunDecided = z.object({
  type: z.literal("run_decided"),
  act: DecisionAct,
  verdict: Verdict,
  failureClass: FailureClass.nullable(),
  reason: z.string(),
});

/** Which entries of a board are run again. */
export const RerunRequest = z.strictObject({
  /** The first so many; null for all. */
  top: z.number().int().min(1).max(10_000).nullable(),
  /** A former edition of the board: its entries are run again on the one that it shows now. */
  edition: z.int().min(1).max(1_000_000).optional(),
});
/** The numbers of the runs that are queued for it. */
export const RerunList = z.object({ runs: z.array(z.number().int()) });
