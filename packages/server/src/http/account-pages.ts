/** The page of one's own account, and what its buttons do. */
import { KernelBotError, ProviderName, TokenRequest, type NewToken } from "@kernelbot/core";
import { accountPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Identity } from "../db/identity.ts";
import { rename, whoami } from "../people/accounts.ts";
import { listIdentities, unlinkIdentity } from "../people/identities.ts";
import { endSession, listSessions } from "../people/sessions.ts";
import { createToken, listTokens, revokeOwnToken } from "../people/tokens.ts";
import { sessionOf } from "./cookies.ts";
import { Id } from "./endpoint.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { readFields, validated } from "./input.ts";
import { originOf, requireSameOrigin } from "./origin.ts";
import { toProvider } from "./sign-in.ts";
import { visitOf } from "./visit.ts";

/** A page for people who are signed in, or a button on it; who is not signed in is sent to do so. */
type Signed = (c: Context<HttpEnv>, identity: Identity) => Response | Promise<Response>;

/** Lets those in who are signed in: to a page from anywhere, to a button from our own pages alone. */
export function signed(faces: Faces, handle: Signed): (c: Context<HttpEnv>) => Promise<Response> {
  return async (c) => {
    if (c.req.method !== "GET") requireSameOrigin(c, faces.site);
    c.header("cache-control", "no-store");
    const identity = await sessionOf(c, faces);
    if (identity !== null) return handle(c, identity);
    // A button of a page that has no address of its own leads to the account.
    const next = c.req.method === "GET" || c.req.path.startsWith("/join/") ? c.req.path : "/account";
    return c.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
  };
}

export function mountAccountPages(app: Hono<HttpEnv>, faces: Faces): void {
  const { database, site } = faces;

  async function show(
    c: Context<HttpEnv>,
    identity: Identity,
    { made, problem }: { made?: NewToken; problem?: KernelBotError } = {},
  ): Promise<Response> {
    const [identities, sessions, tokens] = await Promise.all([
      listIdentities(database, identity.account.id),
      listSessions(database, identity),
      listTokens(database, identity),
    ]);
    const providers = site.providers.map(({ name }) => name);
    const account = whoami(identity);
    const all = {
      visit: visitOf(c, faces, identity),
      account,
      identities,
      sessions,
      tokens,
      providers,
      server: originOf(c, site),
      made,
    };
    return c.html(await accountPage({ ...all, problem: problem?.message }), problem?.status ?? 200);
  }

  /** What a button does; then the page again, or the page with why not. */
  function act(handle: Signed): (c: Context<HttpEnv>) => Promise<Response> {
    return signed(faces, async (c, identity) => {
      try {
        return await handle(c, identity);
      } catch (problem) {
        if (!(problem instanceof KernelBotError) || problem.status >= 500) throw problem;
        return show(c, identity, { problem });
      }
    });
  }

  app.get("/account", signed(faces, show));

  app.post(
    "/account/name",
    act(async (c, identity) => {
      const { name } = await readFields(c, z.object({ name: z.string() }));
      await rename(database, identity, name);
      return c.redirect("/account", 303);
    }),
  );

  app.post(
    "/account/tokens",
    act(async (c, identity) => {
      const fields = new URLSearchParams(await c.req.text());
      const { label, days } = Object.fromEntries(fields);
      const request = validated(TokenRequest, { label, scopes: fields.getAll("scope"), days: Number(days) });
      return show(c, identity, { made: await createToken(database, identity, request) });
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
    act((c, identity) => toProvider(c, faces, { next: "/account", accountId: identity.account.id })),
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
