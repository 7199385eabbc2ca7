/** The pages on which people join a competition: by an invite code with their account, or by an invite link. */
import { InviteCode } from "@kernelbot/core";
import { joinByLinkPage, joinPage } from "@kernelbot/web";
import { z } from "zod";
import { browserOf } from "../../auth/routes/sign-in-pages.ts";
import { sessionOf, startSession } from "../../http/cookies.ts";
import { validated } from "../../http/input.ts";
import { form, page, type PageRoute } from "../../http/page.ts";
import { signInMethodsOf } from "../../http/site.ts";
import { visitOf } from "../../http/page-context.ts";
import { joinByLink, readInviteLink, registerByLink } from "../invite-links.ts";
import { claimInvite } from "../invites.ts";
import { continueAfterJoin } from "./kinds.ts";

const Invite = z.object({ code: InviteCode });

const joinByCode = page({
  path: "/join/:code",
  access: "signed-in",
  params: z.object({ code: z.string() }),
  handle: ({ params: { code }, visit, rejected }) =>
    rejected === undefined
      ? joinPage({ ...validated(Invite, { code }), visit })
      : joinPage({ code, refusal: rejected.problem, visit }),
});

/** Path of an invite link, which ends in its secret. */
const LINK = "/join/:secret{[A-Za-z0-9_-]{43}}";

const invited = page({
  path: LINK,
  access: "viewer",
  params: z.object({ secret: z.string() }),
  cacheControl: "no-store",
  async handle({ c, services, params: { secret }, rejected }) {
    const competition = await readInviteLink(services.database, secret);
    return joinByLinkPage({
      secret,
      competition,
      methods: signInMethodsOf(services.site),
      name: rejected?.typed.get("name") ?? "",
      problem: rejected?.problem,
      visit: visitOf(c, services, await sessionOf(c, services)),
    });
  },
});

export const joinPages: readonly PageRoute[] = [
  // Before the page of a code, whose path matches too.
  invited,

  form({
    path: LINK,
    access: "anyone",
    on: invited,
    fields: z.object({ name: z.string().max(200).default("") }),
    async handle({ c, services, params: { secret }, fields: { name } }) {
      const { database } = services;
      const session = await sessionOf(c, services);
      if (session !== null) {
        const [competition = ""] = (await joinByLink(database, session, secret)).competitions;
        return continueAfterJoin(services, session, competition);
      }
      const registered = await registerByLink(database, secret, name, browserOf(c, services));
      await startSession(c, services, registered.session);
      return continueAfterJoin(services, null, registered.competition);
    },
  }),

  joinByCode,

  form({
    path: "/join/:code",
    on: joinByCode,
    async handle({ services, identity, params }) {
      const { code } = validated(Invite, params);
      const { competitions } = await claimInvite(services.database, identity, code);
      for (const name of competitions) await continueAfterJoin(services, identity, name);
      const [first = ""] = competitions;
      return `/competitions/${first}`;
    },
  }),
];
