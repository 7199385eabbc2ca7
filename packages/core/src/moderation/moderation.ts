/** Moderation: reports and flags, decisions with public reasons, and appeals (one per decision). */
import { z } from "zod";
import { AccountName } from "../vocabulary/entrant.ts";
import { ProblemName, TargetName } from "../vocabulary/specification.ts";
import { ReviewFinding } from "../run/tester-protocol.ts";
import { FailureClass, Verdict } from "../vocabulary/states.ts";

/** Reason for a moderator's act; public if its subject is public. */
export const Reason = z.string().trim().min(1, "give a reason").max(1000, "use at most 1000 characters");

/** Body of a moderator's act on a single subject. */
export const ReasonRequest = z.strictObject({ reason: Reason });

/** Removal of a submission: the submission is on no board and visible only to its owner and to moderators. */
export const Removal = z.object({
  at: z.iso.datetime(),
  by: z.enum(["owner", "moderator"]),
  /** Null if the owner removed it. */
  reason: z.string().nullable(),
});
export type Removal = z.infer<typeof Removal>;

/** Formats a removal: `removed by a moderator: copied`, `removed by its owner`. */
export function formatRemoval({ by, reason }: Removal): string {
  return by === "owner" ? "removed by its owner" : `removed by a moderator: ${reason}`;
}

/** Body of a request to ban or unban an account. */
export const BanRequest = z.strictObject({
  account: z.string().min(1, "name an account").max(200, "use at most 200 characters"),
  reason: Reason,
});
export type BanRequest = z.infer<typeof BanRequest>;

/** Ban status of an account. */
export const BanStatus = z.object({
  account: AccountName,
  bannedAt: z.iso.datetime().nullable(),
  /** Why the account is banned; null if it is not. */
  reason: z.string().nullable(),
});
export type BanStatus = z.infer<typeof BanStatus>;

export const FLAG_CHECKS = ["judge", "speed_of_light", "no_score", "rerun", "moderator", "report"] as const;
/** Source of a flag on a run. */
export const FlagCheck = z.enum(FLAG_CHECKS);
export type FlagCheck = z.infer<typeof FlagCheck>;

export const FLAG_CHECK_LABELS: Readonly<Record<FlagCheck, string>> = {
  judge: "the judge",
  speed_of_light: "the speed-of-light bound",
  no_score: "no score",
  rerun: "a re-run on fresh seeds",
  moderator: "a moderator",
  report: "a report",
};

/** Open objection to a run, before a moderator's decision. */
export const Flag = z.object({
  check: FlagCheck,
  at: z.iso.datetime(),
  message: z.string(),
  /** Account that raised the flag; null if a program did. */
  by: AccountName.nullable(),
  /** Re-run that is the evidence; null if there is none. */
  evidenceRunId: z.number().int().nullable(),
});
export type Flag = z.infer<typeof Flag>;

/** Run that requires a moderator's decision. The run is off its board, unless all of its flags are reports. */
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
/** Act of a moderator's decision. `uphold` rejects an appeal: the appealed decision remains in force. */
export const DecisionAct = z.enum(DECISION_ACTS);
export type DecisionAct = z.infer<typeof DecisionAct>;

/** Decisions that can be appealed, each with the act that grants the appeal. */
export const REVERSALS = { reject: "accept", remove: "restore", ban: "unban" } as const satisfies Partial<
  Record<DecisionAct, DecisionAct>
>;
export type Appealable = keyof typeof REVERSALS;

/** Returns whether a decision with this act can be appealed. */
export function isAppealable(act: DecisionAct): act is Appealable {
  return Object.hasOwn(REVERSALS, act);
}

/** Decision with its appeal and the answer to it, as shown to the account concerned. */
export const Decision = z.object({
  id: z.number().int(),
  at: z.iso.datetime(),
  act: DecisionAct,
  /** Account concerned. */
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
  text: z.string().trim().min(1, "explain why the decision should change").max(4000, "use at most 4000 characters"),
});
/** Answer to an appeal: `grant` reverses the decision, otherwise it is upheld. */
export const AppealDecisionRequest = z.strictObject({ grant: z.boolean(), reason: Reason });
export type AppealDecisionRequest = z.infer<typeof AppealDecisionRequest>;

/** Items that require a moderator's decision, oldest first. */
export const ModerationQueue = z.object({
  items: z.array(QuarantineItem),
  /** Decisions with unanswered appeals, each with the moderator who decided; another moderator should answer. */
  appeals: z.array(Decision.extend({ decidedBy: AccountName })),
});
export type ModerationQueue = z.infer<typeof ModerationQueue>;

/** Log events of a flagged run and of the decision about it. */
export const RunFlagged = z.object({ type: z.literal("run_flagged"), check: FlagCheck, message: z.string() });
export const RunDecided = z.object({
  type: z.literal("run_decided"),
  act: DecisionAct,
  verdict: Verdict,
  failureClass: FailureClass.nullable(),
  reason: z.string(),
});

/** Request to re-run the entries of a board. */
export const RerunRequest = z.strictObject({
  /** Number of top entries; null for all. */
  top: z.number().int().min(1).max(10_000).nullable(),
  /** Earlier revision whose entries are re-run on the current one; when omitted, entries of the current one are. */
  revision: z.int().min(1).max(1_000_000).optional(),
});
export const CheckInUseRequest = z.strictObject({
  /** Number of top entries; null for all. */
  top: z.number().int().min(1).max(10_000).nullable(),
  /** Whether to discard the results of these entries, and run their kernels anew. */
  again: z.boolean().default(false),
});
/** Ids of the runs that were queued. */
export const RerunList = z.object({ runs: z.array(z.number().int()) });
