import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import { requireScope, type Identity, type Scope } from "../db/identity.ts";
import { authenticate } from "../intake/identity.ts";
import type { Faces, HttpEnv } from "./faces.ts";

/**
 * Who asks, by `Authorization: Bearer`.
 * @throws KernelBotError `unauthorized` without a valid token, `forbidden` when it lacks the scope.
 */
export async function identify(c: Context<HttpEnv>, { database }: Faces, scope: Scope): Promise<Identity> {
  const header = c.req.header("authorization");
  if (header === undefined) {
    throw new KernelBotError("unauthorized", "A token is needed: send it as “Authorization: Bearer TOKEN”.");
  }
  const [, token] = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(header) ?? [];
  if (token === undefined) {
    throw new KernelBotError("unauthorized", "The Authorization header must be “Bearer TOKEN”.");
  }
  const identity = await authenticate(database, token);
  requireScope(identity, scope);
  return identity;
}
