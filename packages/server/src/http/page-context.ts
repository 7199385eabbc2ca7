/** Request context of the pages (viewer, colour theme, path), and the theme form. */
import { Role, Theme, type Role as RoleName } from "@kernelbot/core";
import type { SignedVisit, Visit } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { hasRole, type Identity } from "../auth/identity.ts";
import { dropCookie, giveCookie, readCookie } from "./cookies.ts";
import type { Services, HttpEnv } from "../services.ts";
import { readFields } from "./input.ts";
import { localPath, requireSameOrigin } from "./origin.ts";

/** Returns the request's context for a page; the viewer is null for an anonymous request. */
export function visitOf(c: Context<HttpEnv>, services: Services, identity: Identity): SignedVisit;
export function visitOf(c: Context<HttpEnv>, services: Services, identity: Identity | null | undefined): Visit;
export function visitOf(c: Context<HttpEnv>, services: Services, identity: Identity | null | undefined): Visit {
  const { pathname, search } = new URL(c.req.url);
  return {
    viewer: identity == null ? null : { ...identity.account, roles: rolesOf(identity) },
    theme: Theme.nullable()
      .catch(null)
      .parse(readCookie(c, services, "theme") ?? null),
    // The URL of a POST is not a page to return to.
    path: c.req.method === "GET" ? pathname + search : "/",
    assets: services.assets.paths,
  };
}

function rolesOf(identity: Identity): RoleName[] {
  return Role.options.filter((role) => identity.roles.includes(role) && hasRole(identity, role));
}

const Choice = z.object({ theme: z.enum(["system", ...Theme.options]), next: z.string().max(2000).optional() });

export function mountThemes(app: Hono<HttpEnv>, services: Services): void {
  app.post("/theme", async (c) => {
    requireSameOrigin(c, services.site);
    const { theme, next } = await readFields(c, Choice);
    if (theme === "system") dropCookie(c, services, "theme");
    else giveCookie(c, services, "theme", theme);
    return c.redirect(localPath(next, "/"), 303);
  });
}
