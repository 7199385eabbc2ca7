/**
 * Authentication of the popcorn client: a KernelBot token as its `cli_id`, and an administrator's as a bearer token.
 */
import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import { requireRole, requireScope, type Identity, type Role, type Scope } from "../../auth/identity.ts";
import { authenticate } from "../../auth/tokens.ts";
import type { Viewer } from "../../auth/visibility.ts";
import { identify, viewerOf } from "../../http/identify.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { originOf } from "../../http/origin.ts";

/**
 * Returns the caller's identity.
 * @throws KernelBotError `unauthorized` without a valid token, `forbidden` where it lacks the scope.
 */
export async function caller(c: Context<HttpEnv>, services: Services, scope: Scope): Promise<Identity> {
  const token = c.req.header("x-popcorn-cli-id") ?? c.req.header("x-web-auth-id");
  if (token === undefined && c.req.header("authorization") === undefined) {
    throw new KernelBotError("unauthorized", `Missing X-Popcorn-Cli-Id header. ${howToLink(c, services)}`);
  }
  const identity =
    token === undefined
      ? await identify(c, services)
      : await authenticate(services.database, token).catch((error: unknown) => {
          if (!(error instanceof KernelBotError) || error.code !== "unauthorized") throw error;
          throw new KernelBotError(
            "unauthorized",
            `The cli_id is not valid: ${error.message}. ${howToLink(c, services)}`,
          );
        });
  requireScope(identity, scope);
  return identity;
}

/**
 * Returns the viewer of public content; undefined without a token.
 * @throws KernelBotError `unauthorized` for an invalid token.
 */
export async function looker(c: Context<HttpEnv>, services: Services): Promise<Viewer> {
  const named = c.req.header("x-popcorn-cli-id") ?? c.req.header("x-web-auth-id");
  return named === undefined ? viewerOf(c, services) : caller(c, services, "read");
}

/**
 * Returns the identity of a caller with a role.
 * @throws KernelBotError `unauthorized` without a valid token, `forbidden` without the role.
 */
export async function privilegedCaller(c: Context<HttpEnv>, services: Services, role: Role): Promise<Identity> {
  const identity = await identify(c, services);
  requireRole(identity, role);
  return identity;
}

/** Returns instructions for getting a `cli_id`. */
export function howToLink(c: Context<HttpEnv>, { site }: Services): string {
  return `Open ${originOf(c, site)}/link-popcorn, sign in, and put the line that it shows into ~/.popcorn.yaml; or run: kernelbot link-popcorn`;
}
