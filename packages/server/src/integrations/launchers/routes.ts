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
    summary: "List launchers with their targets, budgets and latest launches",
    scope: "admin",
    role: "administrator",
    query: z.object({
      limit: wholeNumber(1, 1000).default(SHOWN).describe(`Maximum number of launches (default: ${SHOWN})`),
    }),
    answers: {
      200: {
        description: "Launchers in the order of the configuration, and launches, newest first",
        schema: LauncherList,
      },
    },
    async handle({ c, services, identity, query }) {
      const list = await listLaunchers(services.database, services.launchers, identity, query.limit);
      return c.json(list, 200, { "cache-control": "private, no-store" });
    },
  }),

  endpoint({
    method: "post",
    path: "/launches/{name}/end",
    summary: "End a launch early",
    scope: "admin",
    role: "administrator",
    params: ByName,
    answers: {
      200: {
        description:
          "The launch; its runner can no longer claim runs, and the service is requested to end it shortly after",
        schema: Launch,
      },
      409: { description: "The launch has already ended" },
    },
    async handle({ c, services, identity, params: { name } }) {
      return c.json(await endLaunch(services.database, identity, name));
    },
  }),

  endpoint({
    method: "post",
    path: "/runner/join",
    summary: "Exchange a proof of identity for the token of a launch",
    scope: null,
    answers: {
      200: { description: "Token that is valid for the duration of the launch", schema: RunnerToken },
      401: { description: "The proof does not identify a launch of this server" },
    },
    async handle({ c, services }) {
      const proof = /^Bearer (\S{20,10000})$/.exec(c.req.header("authorization") ?? "")?.[1];
      if (proof === undefined) throw new KernelBotError("unauthorized", "send the proof as a bearer token");
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
    handle: ({ services, identity, params: { name } }) => endLaunch(services.database, identity, name),
    redirectTo: ({ params: { name } }) => `/admin/launchers#${name}`,
  }),
];
