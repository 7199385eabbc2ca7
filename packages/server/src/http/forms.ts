/**
 * Pages for signed-in users and their forms. A form that succeeds redirects to a page (303); one that is rejected
 * displays its own page again with the error and the input.
 */
import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import { z } from "zod";
import { requireRole, type Identity, type Role } from "../auth/identity.ts";
import { identify } from "./identify.ts";
import { sessionOf } from "./cookies.ts";
import type { Services, HttpEnv } from "../services.ts";
import { requireSameOrigin } from "./origin.ts";

/** Handler of a page or form for signed-in users. */
export type Signed = (c: Context<HttpEnv>, identity: Identity) => Response | Promise<Response>;
type Route = (c: Context<HttpEnv>) => Promise<Response>;

/** Requires a session, and for everything but GET a same-origin request. Redirects to sign-in without a session. */
export function signed(services: Services, handle: Signed): Route {
  return async (c) => {
    if (c.req.method !== "GET") requireSameOrigin(c, services.site);
    c.header("cache-control", "no-store");
    const identity = await sessionOf(c, services);
    return identity === null ? toSignIn(c) : handle(c, identity);
  };
}

/**
 * Requires a role, by a session or by a token that may act in the role. Redirects a browser without either to sign-in.
 */
export function forRole(services: Services, role: Role, handle: Signed): Route {
  return async (c) => {
    c.header("cache-control", "private, no-store");
    const isBrowser = c.req.header("authorization") === undefined && c.req.header("accept")?.includes("text/html");
    if (isBrowser === true && (await sessionOf(c, services)) === null) return toSignIn(c);
    const identity = await identify(c, services);
    requireRole(identity, role);
    return handle(c, identity);
  };
}

/** Error and input of a rejected form. */
export interface Refused {
  problem: string;
  typed: URLSearchParams;
}
type Again = (c: Context<HttpEnv>, identity: Identity, refused: Refused) => Promise<string>;

/**
 * Wraps the form handlers of one page. `again` renders the page after a rejection; `role` restricts the forms to
 * accounts with that role.
 */
export function formsOf(services: Services, again: Again, role?: Role): (handle: Signed) => Route {
  return (handle) =>
    signed(services, async (c, identity) => {
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

/**
 * Returns the schema of `?done=`, which selects a message after a redirect. Messages are fixed because anyone can craft
 * a URL.
 */
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
  // After a POST, sign-in returns to the page with the form, which the Referer header names.
  const from = URL.parse(c.req.header("referer") ?? "");
  const ofButton = from === null ? "/account" : from.pathname + from.search;
  const next = c.req.method === "GET" || pathname.startsWith("/join/") ? pathname + search : ofButton;
  return c.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
}
