/** The cookies: session, OAuth sign-in in progress, colour theme, and those of features. */
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Identity } from "../auth/identity.ts";
import { STATE_S } from "../auth/oauth-states.ts";
import { authenticateSession, endSession, SESSION_DAYS } from "../auth/sessions.ts";
import type { Services, HttpEnv } from "../services.ts";
import { originOf } from "./origin.ts";

/** A cookie. Over http its name is `kernelbot_NAME`. */
export interface Cookie {
  name: string;
  lifetimeS: number;
}

export const SESSION_COOKIE: Cookie = { name: "session", lifetimeS: SESSION_DAYS * 86_400 };
export const OAUTH_COOKIE: Cookie = { name: "oauth", lifetimeS: STATE_S };
export const THEME_COOKIE: Cookie = { name: "theme", lifetimeS: 365 * 86_400 };

/** Returns the value of a cookie; undefined where the browser sent none. */
export function readCookie(c: Context<HttpEnv>, services: Services, cookie: Cookie): string | undefined {
  return getCookie(c, nameOf(c, services, cookie));
}

/**
 * Sets a cookie that is HttpOnly and SameSite=Lax: scripts cannot read it, and other sites can cause it to be sent only
 * by a link to a page.
 */
export function writeCookie(c: Context<HttpEnv>, services: Services, cookie: Cookie, value: string): void {
  set(c, services, cookie, value, cookie.lifetimeS);
}

export function dropCookie(c: Context<HttpEnv>, services: Services, cookie: Cookie): void {
  set(c, services, cookie, "", 0);
}

/**
 * Returns the identity of the browser's session; null where there is none or it has expired. Does not check which site
 * sent the request.
 */
export async function sessionOf(c: Context<HttpEnv>, services: Services): Promise<Identity | null> {
  const secret = readCookie(c, services, SESSION_COOKIE);
  return secret === undefined ? null : authenticateSession(services.database, secret);
}

/** Signs the browser in with a new session secret and ends its previous session. */
export async function startSession(c: Context<HttpEnv>, services: Services, secret: string): Promise<void> {
  const before = await sessionOf(c, services);
  if (before?.sessionId != null) await endSession(services.database, before, before.sessionId);
  writeCookie(c, services, SESSION_COOKIE, secret);
}

function set(c: Context<HttpEnv>, services: Services, cookie: Cookie, value: string, maxAge: number): void {
  const secure = isSecure(c, services);
  setCookie(c, nameOf(c, services, cookie), value, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge });
}

/**
 * Over https, the `__Host-` prefix makes browsers accept the cookie only from this host, so that no sibling domain can
 * set it.
 */
function nameOf(c: Context<HttpEnv>, services: Services, { name }: Cookie): string {
  return `${isSecure(c, services) ? "__Host-" : ""}kernelbot_${name}`;
}

function isSecure(c: Context<HttpEnv>, { site }: Services): boolean {
  return originOf(c, site).startsWith("https:");
}
