import { api } from "@kernelbot/api";
import { joinTeam, leaveTeam, listTeams, createTeam, removeFromTeam, renameTeam } from "../teams.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
/** Responses may contain a team's join code, which only its members may see. */
const PRIVATE = { "cache-control": "private, no-store" };

export const teamEndpoints = [
  endpoint(api.teams.list, async ({ c, services, params }) => {
    return c.json(
      { teams: await listTeams(services.database, await viewerOf(c, services), params.name) },
      200,
      PRIVATE,
    );
  }),

  endpoint(api.teams.create, async ({ c, services, identity, params, body }) => {
    return c.json(await createTeam(services.database, identity, params.name, body.name), 201, PRIVATE);
  }),

  endpoint(api.teams.join, async ({ c, services, identity, params, body }) => {
    return c.json(await joinTeam(services.database, identity, params.name, body.code), 200, PRIVATE);
  }),

  endpoint(api.teams.leave, async ({ c, services, identity, params }) => {
    await leaveTeam(services.database, identity, params.name);
    return c.body(null, 204);
  }),

  endpoint(api.teams.rename, async ({ c, services, identity, params, body }) => {
    return c.json(await renameTeam(services.database, identity, params.name, body.name), 200, PRIVATE);
  }),

  endpoint(api.teams.removeMember, async ({ c, services, identity, params, body }) => {
    await removeFromTeam(services.database, identity, params.name, body.account);
    return c.body(null, 204);
  }),
];
