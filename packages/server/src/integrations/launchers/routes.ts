/**
 * API endpoints and page of launchers: their status for administrators, and the endpoint at which a launched runner
 * exchanges its proof of identity for a token.
 */
import { api } from "@kernelbot/api";
import { KernelBotError } from "@kernelbot/core";
import { launchersPage } from "@kernelbot/web";
import { endLaunch } from "./end.ts";
import { joinByProof } from "./join.ts";
import { listLaunchers } from "./status.ts";
import { endpoint } from "../../http/endpoint.ts";
import { originOf } from "../../http/origin.ts";
import { form, page, type PageRoute } from "../../http/page.ts";

/** Number of launches on the page. */
const SHOWN = 50;

export const launcherEndpoints = [
  endpoint(api.launchers.list, async ({ c, services, identity, query }) => {
    const list = await listLaunchers(services.database, services.launchers, identity, query.limit);
    return c.json(list, 200, { "cache-control": "private, no-store" });
  }),

  endpoint(api.launchers.endLaunch, async ({ c, services, identity, params: { name } }) => {
    return c.json(await endLaunch(services.database, identity, name));
  }),

  endpoint(api.runner.join, async ({ c, services }) => {
    const proof = /^Bearer (\S{20,10000})$/.exec(c.req.header("authorization") ?? "")?.[1];
    if (proof === undefined) throw new KernelBotError("unauthorized", "send the proof as a bearer token");
    const token = await joinByProof(services.database, services.launchers, proof, originOf(c, services.site));
    return c.json({ token }, 200, { "cache-control": "no-store" });
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
    params: api.launchers.endLaunch.params,
    handle: ({ services, identity, params: { name } }) => endLaunch(services.database, identity, name),
    redirectTo: ({ params: { name } }) => `/admin/launchers#${name}`,
  }),
];
