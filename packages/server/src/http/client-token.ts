/**
 * Authentication of programs whose protocol has no place for a token: they can send it in the URL. Cookies are not
 * accepted, so that no website can make a browser act for its user.
 */
import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import { requireScope, type Identity, type Scope } from "../auth/identity.ts";
import { authenticate } from "../auth/tokens.ts";
import type { Database } from "../db/database.ts";
import type { PageRoute } from "./page.ts";
import type { HttpEnv, Services } from "../services.ts";

/** Who may request a route: everyone, everyone with content that depends on the token, or tokens with a scope. */
type ClientAccess = "anyone" | "viewer" | Extract<Scope, "read" | "submit">;

export interface ClientCall {
  c: Context<HttpEnv>;
  services: Services;
  /** Token of the request; undefined where it has none. Not authenticated yet. */
  token: string | undefined;
}

/** Declares a route whose handler authenticates the token of the request, or one in its body. */
export function clientRoute(
  method: PageRoute["method"],
  path: string,
  access: ClientAccess,
  handle: (call: ClientCall) => Response | Promise<Response>,
): PageRoute {
  return {
    method,
    path,
    access,
    mount(app, services) {
      app.on(method.toUpperCase(), path, (c) => handle({ c, services, token: tokenOf(c) }));
    },
  };
}

/**
 * Returns the identity of a token.
 * @throws KernelBotError `unauthorized` without a valid token, `forbidden` where it lacks the scope.
 */
export async function identifyClient(database: Database, token: string | undefined, scope: Scope): Promise<Identity> {
  if (token === undefined) {
    throw new KernelBotError(
      "unauthorized",
      "A token is needed: send it as “Authorization: Bearer TOKEN”, or in the URL as https://token:TOKEN@HOST/… or ?token=TOKEN.",
    );
  }
  const identity = await authenticate(database, token);
  requireScope(identity, scope);
  return identity;
}

/**
 * Returns the token of a request: from `Authorization: Bearer`; from `Authorization: Basic`, which clients send for
 * https://token:TOKEN@HOST/ (some refuse https://TOKEN@HOST/); or from the query parameter `token`.
 */
export function tokenOf(c: Context<HttpEnv>): string | undefined {
  const [, scheme = "", credentials = ""] = /^(Bearer|Basic) +(\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  if (scheme === "") return c.req.query("token");
  if (scheme.toLowerCase() === "bearer") return credentials;
  const [user = "", password = ""] = Buffer.from(credentials, "base64").toString().split(":");
  return password === "" ? user : password;
}
