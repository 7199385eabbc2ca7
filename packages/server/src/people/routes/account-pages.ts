/** The account page and its forms. */
import { Id } from "@kernelbot/api";
import { ProviderName, TokenRequest, type NewToken } from "@kernelbot/core";
import { accountPage } from "@kernelbot/web";
import { z } from "zod";
import { chooseAnonymity, readAnonymity } from "../../submissions/licence.ts";
import { rename, whoami } from "../../auth/accounts.ts";
import { listIdentities, unlinkIdentity } from "../../auth/identities.ts";
import { endSession, listSessions } from "../../auth/sessions.ts";
import { createToken, listTokens, revokeOwnToken } from "../../auth/tokens.ts";
import { validated } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { EmailField, sendLink } from "../../auth/routes/email-pages.ts";
import { PROVIDER, toProvider } from "../../auth/routes/sign-in-pages.ts";
import { signInMethodsOf } from "../../http/site.ts";
import { form, page, type PageCall, type PageRoute } from "../../http/page.ts";

const account = page({ path: "/account", access: "signed-in", handle: (call) => renderAccount(call) });

async function renderAccount(call: PageCall, made?: NewToken): Promise<string> {
  const { c, services, identity, visit, rejected } = call;
  const { database, site } = services;
  const [identities, sessions, tokens, { anonymous }] = await Promise.all([
    listIdentities(database, identity.account.id),
    listSessions(database, identity),
    listTokens(database, identity),
    readAnonymity(database, identity),
  ]);
  return accountPage({
    visit,
    account: whoami(identity),
    identities,
    sessions,
    tokens,
    methods: signInMethodsOf(site),
    email: rejected?.typed.get("email") ?? undefined,
    anonymous,
    server: originOf(c, site),
    made,
    problem: rejected?.problem,
  });
}

export const accountPages: readonly PageRoute[] = [
  account,

  form({
    path: "/account/name",
    on: account,
    fields: z.object({ name: z.string() }),
    handle: ({ services, identity, fields }) => rename(services.database, identity, fields.name),
    redirectTo: () => "/account",
  }),

  form({
    path: "/account/anonymity",
    on: account,
    fields: z.object({ anonymous: z.enum(["yes", "no"]) }),
    handle: ({ services, identity, fields }) =>
      chooseAnonymity(services.database, identity, { anonymous: fields.anonymous === "yes" }),
    redirectTo: () => "/account#data",
  }),

  form({
    path: "/account/tokens",
    on: account,
    async handle(call) {
      const { c, services, identity } = call;
      const fields = new URLSearchParams(await c.req.text());
      const { label, days } = Object.fromEntries(fields);
      const request = validated(TokenRequest, { label, scopes: fields.getAll("scope"), days: Number(days) });
      return c.html(await renderAccount(call, await createToken(services.database, identity, request)));
    },
  }),

  form({
    path: "/account/tokens/:id{[0-9]+}/revoke",
    on: account,
    params: Id,
    handle: ({ services, identity, params }) => revokeOwnToken(services.database, identity, params.id),
    redirectTo: () => "/account#tokens",
  }),

  form({
    path: "/account/sessions/:id{[0-9]+}/end",
    on: account,
    params: Id,
    handle: ({ services, identity, params }) => endSession(services.database, identity, params.id),
    redirectTo: () => "/account#sessions",
  }),

  form({
    path: `/account/link/${PROVIDER}`,
    on: account,
    handle: ({ c, services, identity }) =>
      toProvider(c, services, { next: "/account", accountId: identity.account.id }),
  }),

  form({
    path: "/account/link/email",
    on: account,
    fields: EmailField,
    handle: ({ c, services, identity, fields: { email } }) =>
      sendLink(c, services, { email, next: "/account#identities", accountId: identity.account.id }),
  }),

  form({
    path: "/account/unlink",
    on: account,
    fields: z.object({ provider: ProviderName, subject: z.string().max(1000) }),
    handle: ({ services, identity, fields }) => unlinkIdentity(services.database, identity, fields),
    redirectTo: () => "/account#identities",
  }),
];
