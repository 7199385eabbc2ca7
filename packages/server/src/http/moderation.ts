import { BanRequest, BanStanding, ReasonRequest, Submission } from "@kernelbot/core";
import { ban, unban } from "../moderation/ban.ts";
import { removeAny, removeOwn, restore } from "../moderation/remove.ts";
import { endpoint, Id } from "./endpoint.ts";
import { owned } from "./submissions.ts";

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
    async handle({ c, faces, identity, params }) {
      await removeOwn(faces.database, identity, params.id);
      return c.json((await owned(faces, identity, params.id)).submission);
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
    async handle({ c, faces, identity, params, body }) {
      await removeAny(faces.database, identity, params.id, body.reason);
      return c.json((await owned(faces, identity, params.id)).submission);
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
    async handle({ c, faces, identity, params, body }) {
      await restore(faces.database, identity, params.id, body.reason);
      return c.json((await owned(faces, identity, params.id)).submission);
    },
  }),

  endpoint({
    method: "post",
    path: "/moderation/ban",
    summary: "Ban an account: it may read and appeal, and is on no board",
    scope: "admin",
    role: "moderator",
    body: BanRequest,
    answers: { 200: { description: "How it stands now", schema: BanStanding } },
    async handle({ c, faces, identity, body }) {
      return c.json(await ban(faces.database, identity, body));
    },
  }),

  endpoint({
    method: "post",
    path: "/moderation/unban",
    summary: "End a ban: what the account had is back on the boards",
    scope: "admin",
    role: "moderator",
    body: BanRequest,
    answers: { 200: { description: "How it stands now", schema: BanStanding } },
    async handle({ c, faces, identity, body }) {
      return c.json(await unban(faces.database, identity, body));
    },
  }),
];
