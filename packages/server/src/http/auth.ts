import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import type { Viewer } from "../competitions/access.ts";
import type { Identity } from "../db/identity.ts";
import { authenticate } from "../people/tokens.ts";
import { readCookie, sessionOf } from "./cookies.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { requireSameOrigin } from "./origin.ts";

/**
 * Returns the caller's identity from `Authorization: Bearer`, else from the session cookie of a same-origin request.
 * @throws KernelBotError `unauthorized` without either; `forbidden` where another site sent the cookie.
 */
export async function identify(c: Context<HttpEnv>, faces: Faces): Promise<Identity> {
  const header = c.req.header("authorization");
  if (header === undefined) return identifyBrowser(c, faces);
  const [, token] = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(header) ?? [];
  if (token === undefined) {
    throw new KernelBotError("unauthorized", "The Authorization header must be “Bearer TOKEN”.");
  }
  return authenticate(faces.database, token);
}

async function identifyBrowser(c: Context<HttpEnv>, faces: Faces): Promise<Identity> {
  if (readCookie(c, faces, "session") === undefined) {
    throw new KernelBotError("unauthorized", "A token is needed: send it as “Authorization: Bearer TOKEN”.");
  }
  requireSameOrigin(c, faces.site);
  const identity = await sessionOf(c, faces);
  if (identity === null) throw new KernelBotError("unauthorized", "Your session has ended; sign in again.");
  return identity;
}

/**
 * Returns the viewer of public content: the account of a token that may read or of a session, else undefined
 * (anonymous). A session is read without the same-origin check.
 * @throws KernelBotError `unauthorized` for an invalid token: treating it as anonymous would silently omit private
 * content.
 */
export async function viewerOf(c: Context<HttpEnv>, faces: Faces): Promise<Viewer> {
  if (c.req.header("authorization") === undefined) return (await sessionOf(c, faces)) ?? undefined;
  const identity = await identify(c, faces);
  return identity.scopes.includes("read") || identity.scopes.includes("admin") ? identity : undefined;
}
