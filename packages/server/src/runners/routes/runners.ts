/** API endpoints for administrators of runners: status, commands to them, and the tokens with which they join. */
import { JoinTokenList, ReasonRequest, RunnerDetail, RunnerList } from "@kernelbot/core";
import { listJoinTokens, listRunners, readRunner } from "../list.ts";
import { changeStanding, revokeJoinToken, revokeRunner } from "../status.ts";
import { endpoint, Id } from "../../http/endpoint.ts";

const LIVE = { "cache-control": "private, no-store" };
const ADMINISTRATOR = { scope: "admin", role: "administrator" } as const;
const TOLD = { 200: { description: "As it is then", schema: RunnerDetail } };

/** Creates the endpoint that makes a runner pause or drain, with a reason. */
const telling = (to: "pause" | "drain", summary: string) =>
  endpoint({
    method: "post",
    path: `/runners/{id}/${to}`,
    summary,
    ...ADMINISTRATOR,
    params: Id,
    body: ReasonRequest,
    answers: TOLD,
    async handle({ c, services, identity, params, body }) {
      await changeStanding(services.database, identity, params.id, { to, reason: body.reason });
      return c.json(await readRunner(services.database, identity, params.id, services.runners));
    },
  });

export const runnersEndpoints = [
  endpoint({
    method: "get",
    path: "/runners",
    summary: "The runners that were heard of in the last week: how they are, and what each does now",
    ...ADMINISTRATOR,
    answers: { 200: { description: "By target and name", schema: RunnerList } },
    async handle({ c, services, identity }) {
      return c.json({ runners: await listRunners(services.database, identity, services.runners) }, 200, LIVE);
    },
  }),

  endpoint({
    method: "get",
    path: "/runners/{id}",
    summary: "A runner with its machine and its canaries",
    ...ADMINISTRATOR,
    params: Id,
    answers: TOLD,
    async handle({ c, services, identity, params }) {
      return c.json(await readRunner(services.database, identity, params.id, services.runners), 200, LIVE);
    },
  }),

  telling("pause", "Let a runner finish what it does and claim nothing until it is resumed"),
  telling("drain", "Let a runner finish what it does and end"),

  endpoint({
    method: "post",
    path: "/runners/{id}/resume",
    summary: "Let a runner claim again; one that the server had paused takes a new baseline",
    ...ADMINISTRATOR,
    params: Id,
    answers: TOLD,
    async handle({ c, services, identity, params }) {
      await changeStanding(services.database, identity, params.id, { to: "resume" });
      return c.json(await readRunner(services.database, identity, params.id, services.runners));
    },
  }),

  endpoint({
    method: "post",
    path: "/runners/{id}/revoke",
    summary: "End the token that a runner joined with, and with it every runner that did",
    ...ADMINISTRATOR,
    params: Id,
    answers: { 204: { description: "It opens nothing any more" } },
    async handle({ c, services, identity, params }) {
      await revokeRunner(services.database, identity, params.id);
      return c.body(null, 204);
    },
  }),

  endpoint({
    method: "get",
    path: "/runner-tokens",
    summary: "The tokens that runners join with, whosever they are",
    ...ADMINISTRATOR,
    answers: { 200: { description: "Those that still open something, the newest first", schema: JoinTokenList } },
    async handle({ c, services, identity }) {
      return c.json({ tokens: await listJoinTokens(services.database, identity) }, 200, LIVE);
    },
  }),

  endpoint({
    method: "post",
    path: "/runner-tokens/{id}/revoke",
    summary: "End a token that runners join with",
    ...ADMINISTRATOR,
    params: Id,
    answers: { 204: { description: "It opens nothing any more" } },
    async handle({ c, services, identity, params }) {
      await revokeJoinToken(services.database, identity, params.id);
      return c.body(null, 204);
    },
  }),
];
