/** The cookies: session, OAuth sign-in or LTI launch in progress, and colour theme. */
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Identity } from "../auth/identity.ts";
import { STATE_S } from "../auth/oauth-states.ts";
import { authenticateSession, endSession, SESSION_DAYS } from "../auth/sessions.ts";
import type { Services, HttpEnv } from "../services.ts";
import { originOf } from "./origin.ts";

const AGE_S = { session: SESSION_DAYS * 86_400, oauth: STATE_S, lti: STATE_S, theme: 365 * 86_400 } as const;
type Kind = keyof typeof AGE_S;

/** Returns the value of a cookie; undefined where the browser sent none. */
export function readCookie(c: Context<HttpEnv>, services: Services, kind: Kind): string | undefined {
  return getCookie(c, nameOf(c, services, kind));
}

/**
 * Sets a cookie that is HttpOnly and SameSite=Lax: scripts cannot read it, and other sites can cause it to be sent only
 * by a link to a page.
 */
export function writeCookie(c: Context<HttpEnv>, services: Services, kind: Kind, value: string): void {
  set(c, services, kind, value, AGE_S[kind]);
}

export function dropCookie(c: Context<HttpEnv>, services: Services, kind: Kind): void {
  set(c, services, kind, "", 0);
}

/**
 * Returns the identity of the browser's session; null where there is none or it has expired. Does not check which site
 * sent the request.
 */
export async function sessionOf(c: Context<HttpEnv>, services: Services): Promise<Identity | null> {
  const secret = readCookie(c, services, "session");
  return secret === undefined ? null : authenticateSession(services.database, secret);
}

/** Signs the browser in with a new session secret and ends its previous session. */
export async function startSession(c: Context<HttpEnv>, services: Services, secret: string): Promise<void> {
  const before = await sessionOf(c, services);
  if (before?.sessionId != null) await endSession(services.database, before, before.sessionId);
  writeCookie(c, services, "session", secret);
}

function set(c: Context<HttpEnv>, services: Services, kind: Kind, value: string, maxAge: number): void {
  const secure = isSecure(c, services);
  setCookie(c, nameOf(c, services, kind), value, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge });
}

/**
 * Over https, the `__Host-` prefix makes browsers accept the cookie only from this host, so that no sibling domain can
 * set it.
 */
function nameOf(c: Context<HttpEnv>, services: Services, kind: Kind): string {
  return `${isSecure(c, services) ? "__Host-" : ""}kernelbot_${kind}`;
}

function isSecure(c: Context<HttpEnv>, { site }: Services): boolean {
  return originOf(c, site).startsWith("https:");
}
