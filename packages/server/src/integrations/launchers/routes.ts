/**
 * API endpoints and page of launchers: their status for administrators, and the endpoint at which a launched runner
 * exchanges its proof of identity for a token.
 */
import { KernelBotError, Launch, LauncherList, LaunchName, RunnerToken } from "@kernelbot/core";
import { launchersPage } from "@kernelbot/web";
import { z } from "zod";
import { endLaunch } from "./end.ts";
import { joinByProof } from "./join.ts";
import { listLaunchers } from "./status.ts";
import { endpoint } from "../../http/endpoint.ts";
import { wholeNumber } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { form, page, type PageRoute } from "../../http/page.ts";

/** Default number of launches shown. */
const SHOWN = 50;

const ByName = z.object({ name: LaunchName });

export const launcherEndpoints = [
  endpoint({
    method: "get",
    path: "/launchers",
    summary: "What starts runners for which targets, what it may spend, and the latest launches",
    scope: "admin",
    role: "administrator",
    query: z.object({ limit: wholeNumber(1, 1000).default(SHOWN).describe(`Launches; ${SHOWN} unless given`) }),
    answers: {
      200: { description: "In the order of the configuration; launches with the newest first", schema: LauncherList },
    },
    async handle({ c, services, identity, query }) {
      const list = await listLaunchers(services.database, services.launchers, identity, query.limit);
      return c.json(list, 200, { "cache-control": "private, no-store" });
    },
  }),

  endpoint({
    method: "post",
    path: "/launches/{name}/end",
    summary: "End a launch before its time: its runner claims nothing more, and its service is told to end it",
    scope: "admin",
    role: "administrator",
    params: ByName,
    answers: {
      200: { description: "As it is then: its service is told in a moment", schema: Launch },
      409: { description: "It is over" },
    },
    async handle({ c, services, identity, params: { name } }) {
      return c.json(await endLaunch(services.database, identity, name));
    },
  }),

  endpoint({
    method: "post",
    path: "/runner/join",
    summary: "Get the token of a launch by a proof of the service that runs it, which is the bearer's token",
    scope: null,
    answers: {
      200: { description: "For this launch, and the time of this launch", schema: RunnerToken },
      401: { description: "It proves no launch of this server's" },
    },
    async handle({ c, services }) {
      const proof = /^Bearer (\S{20,10000})$/.exec(c.req.header("authorization") ?? "")?.[1];
      if (proof === undefined) throw new KernelBotError("unauthorized", "send the proof as a bearer's token");
      const token = await joinByProof(services.database, services.launchers, proof, originOf(c, services.site));
      return c.json({ token }, 200, { "cache-control": "no-store" });
    },
  }),
];

const launchers = page({
  path: "/admin/launchers",
  access: "administrator",
  async handle({ services, identity, visit, rejected }) {
    const list = await listLaunchers(services.database, services.launchers, identity, SHOWN);
    return launchersPage({ visit, ...list, outcome: { problem: rejected?.problem } });
  },
});

export const launcherPages: readonly PageRoute[] = [
  launchers,

  form({
    path: "/admin/launches/:name/end",
    on: launchers,
    params: ByName,
    async handle({ services, identity, params: { name } }) {
      await endLaunch(services.database, identity, name);
      return `/admin/launchers#${name}`;
    },
  }),
];
