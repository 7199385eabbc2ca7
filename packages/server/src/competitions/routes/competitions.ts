import { api } from "@kernelbot/api";
import { InviteLinkSecret, KernelBotError, quote } from "@kernelbot/core";
import { noCompetition } from "../../auth/visibility.ts";
import { changeCompetition, createCompetition } from "../change.ts";
import { listCompetitions, readCompetition } from "../competitions.ts";
import { createInviteLink, joinByLink, listInviteLinks, revokeInviteLink } from "../invite-links.ts";
import { claimInvite, createInvites, listInvites, revokeInvite } from "../invites.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { originOf } from "../../http/origin.ts";
import { continueAfterJoin } from "./kinds.ts";

export const competitionEndpoints = [
  endpoint(api.competitions.list, async ({ c, services }) => {
    return c.json({ competitions: await listCompetitions(services.database, await viewerOf(c, services)) });
  }),

  endpoint(api.competitions.get, async ({ c, services, params }) => {
    const competition = await readCompetition(services.database, await viewerOf(c, services), params.name);
    if (competition === null) throw noCompetition(params.name);
    return c.json(competition);
  }),

  endpoint(api.competitions.create, async ({ c, services, identity, body }) => {
    return c.json(await createCompetition(services.database, identity, body), 201);
  }),

  endpoint(api.competitions.change, async ({ c, services, identity, params, body }) => {
    if (body.name !== params.name) {
      throw new KernelBotError(
        "unprocessable",
        `name: must be ${quote(params.name)}, as in the URL; a competition cannot be renamed`,
      );
    }
    return c.json(await changeCompetition(services.database, identity, body));
  }),

  endpoint(api.invites.list, async ({ c, services, identity, params }) => {
    const invites = await listInvites(services.database, identity, params.name);
    return c.json({ invites }, 200, { "cache-control": "private, no-store" });
  }),

  endpoint(api.invites.create, async ({ c, services, identity, body }) => {
    return c.json(await createInvites(services.database, identity, body), 201, {
      "cache-control": "private, no-store",
    });
  }),

  endpoint(api.invites.revoke, async ({ c, services, identity, body }) => {
    return c.json(await revokeInvite(services.database, identity, body.code));
  }),

  endpoint(api.invites.createLink, async ({ c, services, identity, params, body }) => {
    const { secret, ...link } = await createInviteLink(services.database, identity, params.name, body);
    return c.json({ ...link, url: `${originOf(c, services.site)}/join/${secret}` }, 201, {
      "cache-control": "no-store",
    });
  }),

  endpoint(api.invites.listLinks, async ({ c, services, identity, params }) => {
    const links = await listInviteLinks(services.database, identity, params.name);
    return c.json({ links }, 200, { "cache-control": "private, no-store" });
  }),

  endpoint(api.invites.revokeLink, async ({ c, services, identity, params }) => {
    await revokeInviteLink(services.database, identity, params.name, params.id);
    return c.body(null, 204);
  }),

  endpoint(api.invites.claim, async ({ c, services, identity, body: { code } }) => {
    const isLink = InviteLinkSecret.safeParse(code).success;
    const joined = await (isLink ? joinByLink : claimInvite)(services.database, identity, code);
    for (const name of joined.competitions) await continueAfterJoin(services, identity, name);
    return c.json(joined);
  }),
];
