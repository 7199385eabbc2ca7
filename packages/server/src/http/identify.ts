import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import type { Viewer } from "../auth/visibility.ts";
import type { Identity } from "../auth/identity.ts";
import { authenticate } from "../auth/tokens.ts";
import { readCookie, SESSION_COOKIE, sessionOf } from "./cookies.ts";
import type { Services, HttpEnv } from "../services.ts";
import { requireSameOrigin } from "./origin.ts";

/**
 * Returns the caller's identity from `Authorization: Bearer`, else from the session cookie of a same-origin request.
 * @throws KernelBotError `unauthorized` without either; `forbidden` where another site sent the cookie.
 */
export async function identify(c: Context<HttpEnv>, services: Services): Promise<Identity> {
  const header = c.req.header("authorization");
  if (header === undefined) return identifyBrowser(c, services);
  const [, token] = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(header) ?? [];
  if (token === undefined) {
    throw new KernelBotError("unauthorized", "The Authorization header must be “Bearer TOKEN”.");
  }
  return authenticate(services.database, token);
}

async function identifyBrowser(c: Context<HttpEnv>, services: Services): Promise<Identity> {
  if (readCookie(c, services, SESSION_COOKIE) === undefined) {
    throw new KernelBotError("unauthorized", "A token is needed: send it as “Authorization: Bearer TOKEN”.");
  }
  requireSameOrigin(c, services.site);
  const identity = await sessionOf(c, services);
  if (identity === null) throw new KernelBotError("unauthorized", "Your session has expired; sign in again.");
  return identity;
}

/**
 * Returns the viewer of public content: the account of a token that may read or of a session, else undefined
 * (anonymous). A session is read without the same-origin check.
 * @throws KernelBotError `unauthorized` for an invalid token: treating it as anonymous would silently omit private
 * content.
 */
export async function viewerOf(c: Context<HttpEnv>, services: Services): Promise<Viewer> {
  if (c.req.header("authorization") === undefined) return (await sessionOf(c, services)) ?? undefined;
  const identity = await identify(c, services);
  return identity.scopes.includes("read") || identity.scopes.includes("admin") ? identity : undefined;
}
