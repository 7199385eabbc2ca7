import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import type { Viewer } from "../competitions/access.ts";
import type { Identity } from "../db/identity.ts";
import { authenticate } from "../people/tokens.ts";
import { readCookie, sessionOf } from "./cookies.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { requireSameOrigin } from "./origin.ts";

/**
 * Who asks: by `Authorization: Bearer`, else by the cookie of a browser that is signed in, on our own pages alone.
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
 * Who looks at what a stranger may look at too: by a token that may read, or in a browser that is signed in, as its
 * account; else as a stranger.
 * @throws KernelBotError `unauthorized` where a token is not valid: what it should show would silently be missing.
 */
export async function viewerOf(c: Context<HttpEnv>, faces: Faces): Promise<Viewer> {
  if (c.req.header("authorization") === undefined) return (await sessionOf(c, faces)) ?? undefined;
  const identity = await identify(c, faces);
  return identity.scopes.includes("read") || identity.scopes.includes("admin") ? identity : undefined;
}
