import {
  AppealDecisionRequest,
  AppealRequest,
  BanRequest,
  BanStatus,
  Decision,
  DecisionList,
  Inspection,
  ModerationQueue,
  QuarantineItem,
  ReasonRequest,
  RerunList,
  Submission,
} from "@kernelbot/core";
import { MODERATOR, get, post } from "./contract.ts";
import { Id } from "./parameters.ts";

export const moderation = {
  queue: get("/moderation/queue", {
    summary: "List runs with open flags, and open appeals",
    ...MODERATOR,
    answers: { 200: { description: "Oldest first, at most 100 runs", schema: ModerationQueue } },
  }),

  inspectRun: get("/moderation/runs/{id}", {
    summary: "Get a run with its evidence and the most similar sources of other accounts",
    ...MODERATOR,
    params: Id,
    answers: { 200: { description: "Current state", schema: Inspection } },
  }),

  reportRun: post("/runs/{id}/report", {
    summary: "Report a run on a board to the moderators",
    scope: "submit",
    params: Id,
    body: ReasonRequest,
    answers: { 204: { description: "Report recorded; replaces an earlier report by the same account" } },
  }),

  flagRun: post("/runs/{id}/flag", {
    summary: "Quarantine a passed ranked run until a moderator decides",
    ...MODERATOR,
    params: Id,
    body: ReasonRequest,
    answers: { 200: { description: "Run with its open flags", schema: QuarantineItem } },
  }),

  acceptRun: post("/runs/{id}/accept", {
    summary: "Accept a run: it passes with the score of its stored samples",
    ...MODERATOR,
    params: Id,
    body: ReasonRequest,
    answers: { 200: { description: "Decision", schema: Decision } },
  }),

  rejectRun: post("/runs/{id}/reject", {
    summary: "Reject a run: it fails",
    ...MODERATOR,
    params: Id,
    body: ReasonRequest,
    answers: { 200: { description: "Decision, which the owner can appeal once", schema: Decision } },
  }),

  rerunSubmission: post("/submissions/{id}/rerun", {
    summary: "Re-run a ranked submission with new seeds",
    ...MODERATOR,
    params: Id,
    answers: { 202: { description: "Queued runs", schema: RerunList } },
  }),

  removeSubmission: post("/submissions/{id}/remove", {
    summary: "Remove any submission from its boards and hide it",
    ...MODERATOR,
    params: Id,
    body: ReasonRequest,
    answers: { 200: { description: "Updated submission", schema: Submission } },
  }),

  restoreSubmission: post("/submissions/{id}/restore", {
    summary: "Restore a removed submission",
    ...MODERATOR,
    params: Id,
    body: ReasonRequest,
    answers: { 200: { description: "Updated submission", schema: Submission } },
  }),

  ban: post("/moderation/ban", {
    summary: "Ban an account: it can only read and appeal, and its entries are hidden",
    ...MODERATOR,
    body: BanRequest,
    answers: { 200: { description: "Ban status", schema: BanStatus } },
  }),

  unban: post("/moderation/unban", {
    summary: "Lift a ban: the account's entries return to their boards",
    ...MODERATOR,
    body: BanRequest,
    answers: { 200: { description: "Ban status", schema: BanStatus } },
  }),

  decisions: get("/decisions", {
    summary: "List moderation decisions about the caller, their submissions and runs",
    scope: "read",
    answers: { 200: { description: "Newest first, at most 200", schema: DecisionList } },
  }),

  appeal: post("/decisions/{id}/appeal", {
    summary: "Appeal a decision about the caller; once per decision",
    scope: "read",
    params: Id,
    body: AppealRequest,
    answers: { 200: { description: "Decision with the appeal", schema: Decision } },
  }),

  decideAppeal: post("/decisions/{id}/answer", {
    summary: "Answer an appeal: reverse or uphold the decision",
    ...MODERATOR,
    params: Id,
    body: AppealDecisionRequest,
    answers: { 200: { description: "Decision with the answer", schema: Decision } },
  }),
};
