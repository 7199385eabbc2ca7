import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import type { Viewer } from "../competitions/access.ts";
import type { Identity } from "../db/identity.ts";
import { authenticate } from "../people/tokens.ts";
import type { Faces, HttpEnv } from "./faces.ts";

/**
 * Who asks, by `Authorization: Bearer`.
 * @throws KernelBotError `unauthorized` without a valid token.
 */
export async function identify(c: Context<HttpEnv>, { database }: Pick<Faces, "database">): Promise<Identity> {
  const header = c.req.header("authorization");
  if (header === undefined) {
    throw new KernelBotError("unauthorized", "A token is needed: send it as “Authorization: Bearer TOKEN”.");
  }
  const [, token] = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(header) ?? [];
  if (token === undefined) {
    throw new KernelBotError("unauthorized", "The Authorization header must be “Bearer TOKEN”.");
  }
  return authenticate(database, token);
}

/**
 * Who looks at what a stranger may look at too: with a token that may read as its account, else as a stranger.
 * @throws KernelBotError `unauthorized` where a token is not valid: what it should show would silently be missing.
 */
export async function viewerOf(c: Context<HttpEnv>, faces: Faces): Promise<Viewer> {
  if (c.req.header("authorization") === undefined) return undefined;
  const identity = await identify(c, faces);
  return identity.scopes.includes("read") || identity.scopes.includes("admin") ? identity : undefined;
}
