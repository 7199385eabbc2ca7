/** The account page and its forms. */
import { ProviderName, TokenRequest, type NewToken } from "@kernelbot/core";
import { accountPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Identity } from "../../auth/identity.ts";
import { chooseAnonymity, readAnonymity } from "../../submissions/licence.ts";
import { rename, whoami } from "../../auth/accounts.ts";
import { listIdentities, unlinkIdentity } from "../../auth/identities.ts";
import { endSession, listSessions } from "../../auth/sessions.ts";
import { createToken, listTokens, revokeOwnToken } from "../../auth/tokens.ts";
import { Id } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { formsOf, signed } from "../../http/forms.ts";
import { readFields, validated } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { toProvider } from "../../auth/routes/sign-in-pages.ts";
import { visitOf } from "../../http/page-context.ts";

export function mountAccountPages(app: Hono<HttpEnv>, services: Services): void {
  const { database, site } = services;

  async function pageOf(
    c: Context<HttpEnv>,
    identity: Identity,
    more: { made?: NewToken; problem?: string } = {},
  ): Promise<string> {
    const [identities, sessions, tokens, { anonymous }] = await Promise.all([
      listIdentities(database, identity.account.id),
      listSessions(database, identity),
      listTokens(database, identity),
      readAnonymity(database, identity),
    ]);
    const providers = site.providers.map(({ name }) => name);
    const account = whoami(identity);
    return accountPage({
      visit: visitOf(c, services, identity),
      account,
      identities,
      sessions,
      tokens,
      providers,
      anonymous,
      server: originOf(c, site),
      ...more,
    });
  }

  const act = formsOf(services, async (c, identity, { problem }) => pageOf(c, identity, { problem }));

  app.get(
    "/account",
    signed(services, async (c, identity) => c.html(await pageOf(c, identity))),
  );

  app.post(
    "/account/name",
    act(async (c, identity) => {
      const { name } = await readFields(c, z.object({ name: z.string() }));
      await rename(database, identity, name);
      return c.redirect("/account", 303);
    }),
  );

  app.post(
    "/account/anonymity",
    act(async (c, identity) => {
      const { anonymous } = await readFields(c, z.object({ anonymous: z.enum(["yes", "no"]) }));
      await chooseAnonymity(database, identity, { anonymous: anonymous === "yes" });
      return c.redirect("/account#data", 303);
    }),
  );

  app.post(
    "/account/tokens",
    act(async (c, identity) => {
      const fields = new URLSearchParams(await c.req.text());
      const { label, days } = Object.fromEntries(fields);
      const request = validated(TokenRequest, { label, scopes: fields.getAll("scope"), days: Number(days) });
      return c.html(await pageOf(c, identity, { made: await createToken(database, identity, request) }));
    }),
  );

  app.post(
    "/account/tokens/:id{[0-9]+}/revoke",
    act(async (c, identity) => {
      await revokeOwnToken(database, identity, validated(Id, c.req.param()).id);
      return c.redirect("/account#tokens", 303);
    }),
  );

  app.post(
    "/account/sessions/:id{[0-9]+}/end",
    act(async (c, identity) => {
      await endSession(database, identity, validated(Id, c.req.param()).id);
      return c.redirect("/account#sessions", 303);
    }),
  );

  app.post(
    "/account/link/:provider{discord|github|google}",
    act((c, identity) => toProvider(c, services, { next: "/account", accountId: identity.account.id })),
  );

  app.post(
    "/account/unlink",
    act(async (c, identity) => {
      const fields = await readFields(c, z.object({ provider: ProviderName, subject: z.string().max(255) }));
      await unlinkIdentity(database, identity, fields);
      return c.redirect("/account#identities", 303);
    }),
  );
}
