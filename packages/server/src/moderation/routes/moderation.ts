import {
  AppealDecisionRequest,
  AppealRequest,
  BanRequest,
  BanStatus,
  Decision,
  DecisionList,
  Inspection,
  KernelBotError,
  ModerationQueue,
  ProblemName,
  QuarantineItem,
  ReasonRequest,
  RerunList,
  RerunRequest,
  Submission,
  TargetName,
} from "@kernelbot/core";
import { z } from "zod";
import { answer, appeal } from "../appeal.ts";
import { ban, unban } from "../ban.ts";
import { accept, reject } from "../decide.ts";
import { decisionsAbout, readDecision } from "../decisions.ts";
import { flag, report } from "../flag.ts";
import { inspectRun } from "../inspect.ts";
import { moderationQueue, quarantineItem } from "../quarantine.ts";
import { removeAny, removeOwn, restore } from "../remove.ts";
import { carryOver } from "../carry-over.ts";
import { rerunBoard, rerunSubmission } from "../rerun.ts";
import { endpoint, Id } from "../../http/endpoint.ts";
import type { Services } from "../../services.ts";
import { owned } from "../../submissions/routes/submissions.ts";

/**
 * Returns the current decision.
 * @throws KernelBotError `internal` where it is missing.
 */
async function decision(services: Services, id: number): Promise<Decision> {
  const found = await readDecision(services.database, id);
  if (found === null) throw new KernelBotError("internal", `decision ${id} is gone`);
  return found;
}

export const moderationEndpoints = [
  endpoint({
    method: "delete",
    path: "/submissions/{id}",
    summary: "Take one's own submission off its boards while they are open; what runs of it is cancelled",
    scope: "submit",
    params: Id,
    answers: {
      200: { description: "The submission, which only its owner and moderators see now", schema: Submission },
    },
    async handle({ c, services, identity, params }) {
      await removeOwn(services.database, identity, params.id);
      return c.json((await owned(services, identity, params.id)).submission);
    },
  }),

  endpoint({
    method: "post",
    path: "/submissions/{id}/remove",
    summary: "Take any submission off its boards and out of sight",
    scope: "admin",
    role: "moderator",
    params: Id,
    body: ReasonRequest,
    answers: { 200: { description: "The submission after it", schema: Submission } },
    async handle({ c, services, identity, params, body }) {
      await removeAny(services.database, identity, params.id, body);
      return c.json((await owned(services, identity, params.id)).submission);
    },
  }),

  endpoint({
    method: "post",
    path: "/submissions/{id}/restore",
    summary: "Put a removed submission back",
    scope: "admin",
    role: "moderator",
    params: Id,
    body: ReasonRequest,
    answers: { 200: { description: "The submission after it", schema: Submission } },
    async handle({ c, services, identity, params, body }) {
      await restore(services.database, identity, params.id, body);
      return c.json((await owned(services, identity, params.id)).submission);
    },
  }),

  endpoint({
    method: "post",
    path: "/moderation/ban",
    summary: "Ban an account: it may read and appeal, and is on no board",
    scope: "admin",
    role: "moderator",
    body: BanRequest,
    answers: { 200: { description: "How it stands now", schema: BanStatus } },
    async handle({ c, services, identity, body }) {
      return c.json(await ban(services.database, identity, body));
    },
  }),

  endpoint({
    method: "post",
    path: "/moderation/unban",
    summary: "End a ban: what the account had is back on the boards",
    scope: "admin",
    role: "moderator",
    body: BanRequest,
    answers: { 200: { description: "How it stands now", schema: BanStatus } },
    async handle({ c, services, identity, body }) {
      return c.json(await unban(services.database, identity, body));
    },
  }),

  endpoint({
    method: "get",
    path: "/moderation/queue",
    summary: "Runs that something speaks against, and appeals without an answer",
    scope: "admin",
    role: "moderator",
    answers: { 200: { description: "The oldest first, 100 runs at most", schema: ModerationQueue } },
    async handle({ c, services }) {
      return c.json(await moderationQueue(services.database), 200, { "cache-control": "private, no-store" });
    },
  }),

  endpoint({
    method: "get",
    path: "/moderation/runs/{id}",
    summary: "A run with its evidence, and the sources of others that are most like its own",
    scope: "admin",
    role: "moderator",
    params: Id,
    answers: { 200: { description: "As it stands now", schema: Inspection } },
    async handle({ c, services, params }) {
      return c.json(await inspectRun(services.database, params.id), 200, { "cache-control": "private, no-store" });
    },
  }),

  endpoint({
    method: "post",
    path: "/runs/{id}/flag",
    summary: "Take a ranked run that passed off its board until it is decided",
    scope: "admin",
    role: "moderator",
    params: Id,
    body: ReasonRequest,
    answers: { 200: { description: "With all that speaks against it", schema: QuarantineItem } },
    async handle({ c, services, identity, params, body }) {
      const run = await flag(services.database, identity, params.id, body.reason);
      return c.json(await quarantineItem(services.database, run));
    },
  }),

  endpoint({
    method: "post",
    path: "/runs/{id}/report",
    summary: "Ask a moderator to look at a run on a board",
    scope: "submit",
    params: Id,
    body: ReasonRequest,
    answers: { 204: { description: "It is noted; reported again by the same account, the last word counts" } },
    async handle({ c, services, identity, params, body }) {
      await report(services.database, identity, params.id, body.reason);
      return c.body(null, 204);
    },
  }),

  endpoint({
    method: "post",
    path: "/runs/{id}/accept",
    summary: "Decide that a run passed: it is ranked with the score of its stored samples",
    scope: "admin",
    role: "moderator",
    params: Id,
    body: ReasonRequest,
    answers: { 200: { description: "The decision", schema: Decision } },
    async handle({ c, services, identity, params, body }) {
      return c.json(
        await decision(services, await accept(services.database, identity, params.id, body, services.signer)),
      );
    },
  }),

  endpoint({
    method: "post",
    path: "/runs/{id}/reject",
    summary: "Decide that a run failed",
    scope: "admin",
    role: "moderator",
    params: Id,
    body: ReasonRequest,
    answers: { 200: { description: "The decision, which its owner may appeal against once", schema: Decision } },
    async handle({ c, services, identity, params, body }) {
      return c.json(await decision(services, await reject(services.database, identity, params.id, body)));
    },
  }),

  endpoint({
    method: "get",
    path: "/decisions",
    summary: "What moderators decided about oneself, one's submissions and their runs",
    scope: "read",
    answers: { 200: { description: "The newest first, 200 at most", schema: DecisionList } },
    async handle({ c, services, identity }) {
      return c.json({ decisions: await decisionsAbout(services.database, identity.account.id) });
    },
  }),

  endpoint({
    method: "post",
    path: "/decisions/{id}/appeal",
    summary: "Appeal against a decision about oneself, once",
    scope: "read",
    params: Id,
    body: AppealRequest,
    answers: { 200: { description: "The decision with the appeal", schema: Decision } },
    async handle({ c, services, identity, params, body }) {
      await appeal(services.database, identity, params.id, body.text);
      return c.json(await decision(services, params.id));
    },
  }),

  endpoint({
    method: "post",
    path: "/decisions/{id}/answer",
    summary: "Answer an appeal: turn the decision round, or let it stand",
    scope: "admin",
    role: "moderator",
    params: Id,
    body: AppealDecisionRequest,
    answers: { 200: { description: "The decision with the answer", schema: Decision } },
    async handle({ c, services, identity, params, body }) {
      await answer(services.database, identity, params.id, body, services.signer);
      return c.json(await decision(services, params.id));
    },
  }),

  endpoint({
    method: "post",
    path: "/submissions/{id}/rerun",
    summary: "Run a ranked submission again on fresh seeds",
    scope: "admin",
    role: "moderator",
    params: Id,
    answers: { 202: { description: "The runs that are queued", schema: RerunList } },
    async handle({ c, services, identity, params }) {
      return c.json({ runs: await rerunSubmission(services.database, identity, params.id) }, 202);
    },
  }),

  endpoint({
    method: "post",
    path: "/boards/{board}/{target}/rerun",
    summary:
      "Run the first entries of a board again on fresh seeds, or all; those of a former edition on the current one",
    scope: "admin",
    params: z.object({ board: ProblemName, target: TargetName }),
    body: RerunRequest,
    answers: { 202: { description: "The runs that are queued", schema: RerunList } },
    async handle({ c, services, identity, params, body }) {
      const { edition, top } = body;
      const runs =
        edition === undefined
          ? await rerunBoard(services.database, identity, { ...params, top })
          : await carryOver(services.database, identity, { ...params, edition, top });
      return c.json({ runs }, 202);
    },
  }),
];
