/** API endpoints for administrators of runners: status, commands to them, and the tokens with which they join. */
import { api } from "@kernelbot/api";
import { listJoinTokens, listRunners, readRunner } from "../list.ts";
import { changeRunnerStatus, revokeJoinToken, revokeRunner } from "../status.ts";
import { endpoint } from "../../http/endpoint.ts";

const LIVE = { "cache-control": "private, no-store" };

export const runnersEndpoints = [
  endpoint(api.runners.list, async ({ c, services, identity }) => {
    return c.json({ runners: await listRunners(services.database, identity, services.runners) }, 200, LIVE);
  }),

  endpoint(api.runners.get, async ({ c, services, identity, params }) => {
    return c.json(await readRunner(services.database, identity, params.id, services.runners), 200, LIVE);
  }),

  endpoint(api.runners.pause, async ({ c, services, identity, params, body }) => {
    await changeRunnerStatus(services.database, identity, params.id, { to: "pause", reason: body.reason });
    return c.json(await readRunner(services.database, identity, params.id, services.runners));
  }),

  endpoint(api.runners.drain, async ({ c, services, identity, params, body }) => {
    await changeRunnerStatus(services.database, identity, params.id, { to: "drain", reason: body.reason });
    return c.json(await readRunner(services.database, identity, params.id, services.runners));
  }),

  endpoint(api.runners.resume, async ({ c, services, identity, params }) => {
    await changeRunnerStatus(services.database, identity, params.id, { to: "resume" });
    return c.json(await readRunner(services.database, identity, params.id, services.runners));
  }),

  endpoint(api.runners.revoke, async ({ c, services, identity, params }) => {
    await revokeRunner(services.database, identity, params.id);
    return c.body(null, 204);
  }),

  endpoint(api.runners.tokens, async ({ c, services, identity }) => {
    return c.json({ tokens: await listJoinTokens(services.database, identity) }, 200, LIVE);
  }),

  endpoint(api.runners.revokeToken, async ({ c, services, identity, params }) => {
    await revokeJoinToken(services.database, identity, params.id);
    return c.body(null, 204);
  }),
];
