/** Who calls: the client sends a token of ours as its `cli_id`, and an administrator's as a bearer token. */
import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import { requireRole, requireScope, type Identity, type Role, type Scope } from "../../db/identity.ts";
import { authenticate } from "../../people/tokens.ts";
import type { Viewer } from "../../competitions/access.ts";
import { identify, viewerOf } from "../auth.ts";
import type { Faces, HttpEnv } from "../faces.ts";
import { originOf } from "../origin.ts";

/** @throws KernelBotError `unauthorized` without a valid token, `forbidden` where it lacks the scope. */
export async function caller(c: Context<HttpEnv>, faces: Faces, scope: Scope): Promise<Identity> {
  const token = c.req.header("x-popcorn-cli-id") ?? c.req.header("x-web-auth-id");
  if (token === undefined && c.req.header("authorization") === undefined) {
    throw new KernelBotError("unauthorized", `Missing X-Popcorn-Cli-Id header. ${howToLink(c, faces)}`);
  }
  const identity =
    token === undefined
      ? await identify(c, faces)
      : await authenticate(faces.database, token).catch((error: unknown) => {
          if (!(error instanceof KernelBotError) || error.code !== "unauthorized") throw error;
          throw new KernelBotError("unauthorized", `The cli_id is not valid: ${error.message}. ${howToLink(c, faces)}`);
        });
  requireScope(identity, scope);
  return identity;
}

/** Who looks at what a stranger may look at too. @throws KernelBotError `unauthorized` where a token is not valid. */
export async function looker(c: Context<HttpEnv>, faces: Faces): Promise<Viewer> {
  const named = c.req.header("x-popcorn-cli-id") ?? c.req.header("x-web-auth-id");
  return named === undefined ? viewerOf(c, faces) : caller(c, faces, "read");
}

/** @throws KernelBotError `unauthorized` without a valid token, `forbidden` without the role. */
export async function privilegedCaller(c: Context<HttpEnv>, faces: Faces, role: Role): Promise<Identity> {
  const identity = await identify(c, faces);
  requireRole(identity, role);
  return identity;
}

/** What a person has to do to get a `cli_id`. */
export function howToLink(c: Context<HttpEnv>, { site }: Faces): string {
  return `Open ${originOf(c, site)}/link-popcorn, sign in, and put the line that it shows into ~/.popcorn.yaml; or run: kernelbot link-popcorn`;
}
