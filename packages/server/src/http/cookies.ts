/** The cookies that a browser is given: that of its session, that of a sign-in on its way, and its colours. */
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Identity } from "../db/identity.ts";
import { STATE_S } from "../people/oauth-states.ts";
import { authenticateSession, endSession, SESSION_DAYS } from "../people/sessions.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { originOf } from "./origin.ts";

const AGE_S = { session: SESSION_DAYS * 86_400, oauth: STATE_S, theme: 365 * 86_400 } as const;
type Kind = keyof typeof AGE_S;

/** What the browser keeps of this kind. */
export function readCookie(c: Context<HttpEnv>, faces: Faces, kind: Kind): string | undefined {
  return getCookie(c, nameOf(c, faces, kind));
}

/** Gives the browser a value that no script sees, and that no other site makes it send but by a link to a page. */
export function giveCookie(c: Context<HttpEnv>, faces: Faces, kind: Kind, value: string): void {
  set(c, faces, kind, value, AGE_S[kind]);
}

export function dropCookie(c: Context<HttpEnv>, faces: Faces, kind: Kind): void {
  set(c, faces, kind, "", 0);
}

/** Who is signed in in this browser; null where nobody is. Asks nothing about which site sent the request. */
export async function sessionOf(c: Context<HttpEnv>, faces: Faces): Promise<Identity | null> {
  const secret = readCookie(c, faces, "session");
  return secret === undefined ? null : authenticateSession(faces.database, secret);
}

/** Signs the browser in by a new secret; the session that it had ends. */
export async function welcome(c: Context<HttpEnv>, faces: Faces, secret: string): Promise<void> {
  const before = await sessionOf(c, faces);
  if (before?.sessionId != null) await endSession(faces.database, before, before.sessionId);
  giveCookie(c, faces, "session", secret);
}

function set(c: Context<HttpEnv>, faces: Faces, kind: Kind, value: string, maxAge: number): void {
  const secure = isSecure(c, faces);
  setCookie(c, nameOf(c, faces, kind), value, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge });
}

/** Over https by a name that a browser takes from this host alone, so that no neighbour can plant one. */
function nameOf(c: Context<HttpEnv>, faces: Faces, kind: Kind): string {
  return `${isSecure(c, faces) ? "__Host-" : ""}kernelbot_${kind}`;
}

function isSecure(c: Context<HttpEnv>, { site }: Faces): boolean {
  return originOf(c, site).startsWith("https:");
}
