/**
 * Pages for people who are signed in, and their forms. Each form goes the same way: what it asks for is done, and the
 * browser is sent on to a page (303); or the form's own page comes again with why not, and what was typed.
 */
import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import { z } from "zod";
import { requireRole, type Identity, type Role } from "../db/identity.ts";
import { identify } from "./auth.ts";
import { sessionOf } from "./cookies.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { requireSameOrigin } from "./origin.ts";

/** A page for people who are signed in, or a button on it. */
export type Signed = (c: Context<HttpEnv>, identity: Identity) => Response | Promise<Response>;
type Route = (c: Context<HttpEnv>) => Promise<Response>;

/** Lets those in who are signed in: to a page from anywhere, to a button from our own pages alone. */
export function signed(faces: Faces, handle: Signed): Route {
  return async (c) => {
    if (c.req.method !== "GET") requireSameOrigin(c, faces.site);
    c.header("cache-control", "no-store");
    const identity = await sessionOf(c, faces);
    return identity === null ? toSignIn(c) : handle(c, identity);
  };
}

/** A page for a role: by a session, or by a token that may act in the role. A browser without either is sent to sign in. */
export function forRole(faces: Faces, role: Role, handle: Signed): Route {
  return async (c) => {
    c.header("cache-control", "private, no-store");
    const isBrowser = c.req.header("authorization") === undefined && c.req.header("accept")?.includes("text/html");
    if (isBrowser === true && (await sessionOf(c, faces)) === null) return toSignIn(c);
    const identity = await identify(c, faces);
    requireRole(identity, role);
    return handle(c, identity);
  };
}

/** A form's own page again: what was wrong, and what was typed. */
export interface Refused {
  problem: string;
  typed: URLSearchParams;
}
type Again = (c: Context<HttpEnv>, identity: Identity, refused: Refused) => Promise<string>;

/** The forms of one page. `again` shows it once more; with a role they are for those who have it. */
export function formsOf(faces: Faces, again: Again, role?: Role): (handle: Signed) => Route {
  return (handle) =>
    signed(faces, async (c, identity) => {
      if (role !== undefined) requireRole(identity, role);
      try {
        return await handle(c, identity);
      } catch (problem) {
        if (!(problem instanceof KernelBotError) || problem.status >= 500) throw problem;
        const typed = new URLSearchParams(await c.req.text());
        return c.html(await again(c, identity, { problem: problem.message, typed }), problem.status);
      }
    });
}

/** `?done=` of a page that a form has led to: one of fixed words, since an address is anybody's to make. */
export function doneIn<Words extends Record<string, string>>(words: Words) {
  return z.object({
    done: z
      .enum(Object.keys(words) as (keyof Words & string)[])
      .optional()
      .catch(undefined),
  });
}

function toSignIn(c: Context<HttpEnv>): Response {
  const { pathname, search } = new URL(c.req.url);
  // A button leads back to the page that it is on; a browser says which where it may.
  const from = URL.parse(c.req.header("referer") ?? "");
  const ofButton = from === null ? "/account" : from.pathname + from.search;
  const next = c.req.method === "GET" || pathname.startsWith("/join/") ? pathname + search : ofButton;
  return c.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
}
