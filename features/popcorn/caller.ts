/**
 * Authentication of the popcorn client: as its `cli_id` a KernelBot token, or the one that another KernelBot issued and
 * that was imported; an administrator's token as a bearer token.
 */
import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import {
  requireRole,
  requireScope,
  type Identity,
  type Role,
  type Scope,
} from "@kernelbot/server/src/auth/identity.ts";
import { authenticate, CLIENT_ID } from "@kernelbot/server/src/auth/tokens.ts";
import type { Viewer } from "@kernelbot/server/src/auth/visibility.ts";
import { identify, viewerOf } from "@kernelbot/server/src/http/identify.ts";
import type { Services, HttpEnv } from "@kernelbot/server/src/services.ts";
import { originOf } from "@kernelbot/server/src/http/origin.ts";

/**
 * Who may request a route of the popcorn client: as for pages, or the scope that the `cli_id` must have. A role requires
 * a bearer token.
 */
export type PopcornAccess = "anyone" | "viewer" | "read" | "submit" | Role;

/**
 * Returns the caller of a route; undefined where the route identifies no caller, or a viewer is anonymous.
 * @throws KernelBotError `unauthorized` without a valid token, `forbidden` where it lacks the scope or the role.
 */
export async function identifyCaller(c: Context<HttpEnv>, services: Services, access: PopcornAccess): Promise<Viewer> {
  const clientId = c.req.header("x-popcorn-cli-id") ?? c.req.header("x-web-auth-id");
  if (access === "anyone") return undefined;
  if (access === "viewer" && clientId === undefined) return viewerOf(c, services);
  if (access === "viewer") return authenticateClient(c, services, clientId, "read");
  if (access === "read" || access === "submit") return authenticateClient(c, services, clientId, access);
  const identity = await identify(c, services);
  requireRole(identity, access);
  return identity;
}

/** Returns the account of a `cli_id`; without one, that of the bearer token. */
export async function authenticateClient(
  c: Context<HttpEnv>,
  services: Services,
  clientId: string | undefined,
  scope: Scope,
): Promise<Identity> {
  if (clientId === undefined && c.req.header("authorization") === undefined) {
    throw new KernelBotError("unauthorized", `Missing X-Popcorn-Cli-Id header. ${howToLink(c, services)}`);
  }
  const identity =
    clientId === undefined
      ? await identify(c, services)
      : await authenticate(services.database, clientId, CLIENT_ID).catch((error: unknown) => {
          if (!(error instanceof KernelBotError) || error.code !== "unauthorized") throw error;
          throw new KernelBotError(
            "unauthorized",
            `The cli_id is not valid: ${error.message}. ${howToLink(c, services)}`,
          );
        });
  requireScope(identity, scope);
  return identity;
}

/** Returns instructions for getting a `cli_id`. */
export function howToLink(c: Context<HttpEnv>, { site }: Services): string {
  return `Open ${originOf(c, site)}/link-popcorn, sign in, and copy the displayed line into ~/.popcorn.yaml; or run: kernelbot link-popcorn`;
}
