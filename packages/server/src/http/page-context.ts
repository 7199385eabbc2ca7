/** Request context of the pages: viewer, colour theme, path. */
import { Role, Theme, type Role as RoleName } from "@kernelbot/core";
import type { Visit } from "@kernelbot/web";
import type { Context } from "hono";
import { hasRole, type Identity } from "../auth/identity.ts";
import { readCookie, THEME_COOKIE } from "./cookies.ts";
import { originOf } from "./origin.ts";
import type { Services, HttpEnv } from "../services.ts";

/** Returns the request's context for a page; the viewer is null for an anonymous request. */
export function visitOf(c: Context<HttpEnv>, services: Services, identity: Identity | null | undefined): Visit {
  const { pathname, search } = new URL(c.req.url);
  return {
    viewer: identity == null ? null : { ...identity.account, roles: rolesOf(identity) },
    theme: Theme.nullable()
      .catch(null)
      .parse(readCookie(c, services, THEME_COOKIE) ?? null),
    origin: originOf(c, services.site),
    path: pathname + search,
    // The URL of a POST is not a page to return to.
    next: c.req.method === "GET" ? pathname + search : "/",
    // Only where the page shows what everyone may see.
    picturePath: identity == null ? (picture) => services.pictures.pathOf(pathname + search, picture) : null,
    assets: services.assets.paths,
    adminTabs: services.features.flatMap(({ adminTabs = [] }) => adminTabs),
  };
}

function rolesOf(identity: Identity): RoleName[] {
  return Role.options.filter((role) => identity.roles.includes(role) && hasRole(identity, role));
}
