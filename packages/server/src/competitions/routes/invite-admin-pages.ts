/** Pages on which organisers create and revoke invite links and codes, and sign-in links for participants. */
import { Id, wholeNumber } from "@kernelbot/api";
import {
  CompetitionName,
  InviteCode,
  InviteLinkRequest,
  SignInLinkRequest,
  type NewInviteLink,
  type SignInLink,
} from "@kernelbot/core";
import { INVITE_STATES, invitesPage, inviteState } from "@kernelbot/web";
import { z } from "zod";
import { createSignInLink } from "../../auth/sign-in-links.ts";
import type { Identity } from "../../auth/identity.ts";
import { validated } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { doneQuery, form, page, type PageCall, type PageRoute } from "../../http/page.ts";
import { listOrganised, readOrganised } from "../competitions.ts";
import { createInviteLink, listInviteLinks, revokeInviteLink } from "../invite-links.ts";
import { createInvites, listInvites, revokeInvite } from "../invites.ts";

const Address = z.object({ name: CompetitionName });

const DONE = {
  codes: "Invite codes created; they are listed first below.",
  revoked: "Invite code revoked.",
  "link-revoked": "Invite link revoked; the people who joined by it remain members.",
} as const;
const Query = doneQuery(DONE).extend({ state: z.enum(INVITE_STATES).optional().catch(undefined) });

type Call = PageCall<Identity, z.infer<typeof Address>, z.infer<typeof Query>>;

/** Renders the page, with a link that was just created. */
async function renderInvites(
  { c, services, identity, params, query: { done, state }, visit, rejected }: Call,
  made: { madeLink?: NewInviteLink; madeSignIn?: SignInLink } = {},
): Promise<string> {
  const { database, site } = services;
  const competition = await readOrganised(database, identity, params.name);
  const [own, invites, links] = await Promise.all([
    listOrganised(database, identity),
    listInvites(database, identity, competition.name),
    listInviteLinks(database, identity, competition.name),
  ]);
  return invitesPage({
    visit,
    competition,
    others: own.filter(({ name }) => name !== competition.name),
    invites,
    links,
    ...made,
    state,
    server: originOf(c, site),
    outcome: { done: done && DONE[done], problem: rejected?.problem },
  });
}

const invites = page({
  path: "/admin/competitions/:name/invites",
  access: "organiser",
  params: Address,
  query: Query,
  handle: (call) => renderInvites(call),
});

export const inviteAdminPages: readonly PageRoute[] = [
  invites,

  page({
    path: "/admin/competitions/:name/invites.txt",
    access: "organiser",
    params: Address,
    async handle({ c, services: { database, site }, identity, params: { name } }) {
      const free = (await listInvites(database, identity, name)).filter((invite) => inviteState(invite) === "free");
      const lines = free.map(({ code }) => `${originOf(c, site)}/join/${code}\n`);
      c.header("content-disposition", `attachment; filename="${name}-invites.txt"`);
      return c.text(lines.join(""));
    },
  }),

  form({
    path: "/admin/competitions/:name/invites",
    on: invites,
    async handle({ c, services, identity, params: { name } }) {
      const typed = new URLSearchParams(await c.req.text());
      const { count } = validated(z.object({ count: wholeNumber(1, 10_000) }), { count: typed.get("count") });
      const competitions = [name, ...validated(z.array(CompetitionName).max(99), typed.getAll("competition"))];
      await createInvites(services.database, identity, { competitions, count });
      return `/admin/competitions/${name}/invites?done=codes#codes`;
    },
  }),

  form({
    path: "/admin/competitions/:name/invites/revoke",
    on: invites,
    fields: z.object({ code: InviteCode }),
    handle: ({ services, identity, fields: { code } }) => revokeInvite(services.database, identity, code),
    redirectTo: ({ params: { name } }) => `/admin/competitions/${name}/invites?done=revoked#codes`,
  }),

  form({
    path: "/admin/competitions/:name/invite-links",
    on: invites,
    fields: z.object({ maxUses: z.string(), days: z.string() }),
    async handle(call) {
      const { c, services, identity, params, fields } = call;
      const { maxUses, days } = fields;
      const request = validated(InviteLinkRequest, { maxUses: Number(maxUses), days: Number(days) });
      const { secret, ...link } = await createInviteLink(services.database, identity, params.name, request);
      const url = `${originOf(c, services.site)}/join/${secret}`;
      return c.html(await renderInvites(call, { madeLink: { ...link, url } }));
    },
  }),

  form({
    path: "/admin/competitions/:name/invite-links/:id{[0-9]+}/revoke",
    on: invites,
    params: Address.extend(Id.shape),
    handle: ({ services, identity, params: { name, id } }) => revokeInviteLink(services.database, identity, name, id),
    redirectTo: ({ params: { name } }) => `/admin/competitions/${name}/invites?done=link-revoked#links`,
  }),

  form({
    path: "/admin/competitions/:name/invite-links/sign-in",
    on: invites,
    fields: z.object({ name: z.string() }),
    async handle(call) {
      const { c, services, identity, fields } = call;
      const request = validated(SignInLinkRequest, { name: fields.name });
      const { secret, account, expiresAt } = await createSignInLink(services.database, identity, request);
      const url = `${originOf(c, services.site)}/sign-in/link?token=${secret}`;
      return c.html(await renderInvites(call, { madeSignIn: { url, account, expiresAt } }));
    },
  }),
];
