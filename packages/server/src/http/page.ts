/**
 * Declarative routes outside /api/v1: pages, the forms on them, downloads and event streams. Each route declares who
 * may request it, so that a test can list every route with its access.
 *
 * A form that succeeds redirects to a page (303); one that is rejected shows its own page again with the error and the
 * input.
 */
import { KernelBotError } from "@kernelbot/core";
import type { SignedVisit, Visit } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { requireRole, type Identity, type Role, type Scope } from "../auth/identity.ts";
import type { Viewer } from "../auth/visibility.ts";
import type { HttpEnv, Services } from "../services.ts";
import { sessionOf } from "./cookies.ts";
import { identify, viewerOf } from "./identify.ts";
import { readFields, validated } from "./input.ts";
import { requireSameOrigin } from "./origin.ts";
import { visitOf } from "./page-context.ts";

/**
 * Who may request a page or form:
 *
 * - `anyone`: everyone; the caller is not identified;
 * - `viewer`: everyone; the content depends on the caller, who may be anonymous;
 * - `signed-in`: browsers with a session; others are redirected to sign in;
 * - a role: accounts with that role, by a session or, for pages, by a token that may act in the role.
 */
export type Access = "anyone" | "viewer" | "signed-in" | Role;

/** A route as the application mounts it and tests list it. */
export interface PageRoute {
  method: "get" | "post" | "delete";
  /** Path in Hono's syntax. */
  path: string;
  /** Who may request the route; a scope is that of a token. */
  access: Access | Scope;
  mount(app: Hono<HttpEnv>, services: Services): void;
}

type Shape = z.ZodType | undefined;
type Parsed<T> = T extends z.ZodType ? z.infer<T> : unknown;
/** Type of the identity that a handler receives. */
export type CallerOf<A extends string> = A extends "anyone" ? undefined : A extends "viewer" ? Viewer : Identity;

/** Error and input of a rejected form. */
export interface Rejected {
  problem: string;
  typed: URLSearchParams;
}

/** Validated request, as a handler receives it. */
export interface PageCall<Caller extends Viewer = Identity, Params = unknown, Query = unknown> {
  c: Context<HttpEnv>;
  services: Services;
  identity: Caller;
  params: Params;
  /** Query of the page; unknown parameters are ignored. */
  query: Query;
  /** Context in which the page is rendered. */
  readonly visit: Caller extends Identity ? SignedVisit : Visit;
  /** Set when the page is shown again because of a form on it. */
  rejected?: Rejected;
}

/** Text of an HTML page, or another response. */
type PageAnswer = string | Response;
type Show<Caller extends Viewer, Params, Query> = (
  call: PageCall<Caller, Params, Query>,
) => PageAnswer | Promise<PageAnswer>;

interface PageSpec<A extends Access, P extends Shape, Q extends Shape> {
  path: string;
  access: A;
  params?: P;
  query?: Q;
  /** Cache-Control, where it differs from `private, no-cache`. Pages that require an account are never stored. */
  cacheControl?: "no-store" | "private, no-store";
  handle: Show<CallerOf<A>, Parsed<P>, Parsed<Q>>;
}

/** A page that forms may be declared on. */
export interface Page<Caller extends Viewer, Params, Query> extends PageRoute {
  access: Access;
  querySchema: Shape;
  show: Show<Caller, Params, Query>;
}

/** Declares a page, or another route that is read with GET. */
export function page<A extends Access, P extends Shape = undefined, Q extends Shape = undefined>(
  spec: PageSpec<A, P, Q>,
): Page<CallerOf<A>, Parsed<P>, Parsed<Q>> {
  const { path, access, params, query, cacheControl, handle } = spec;
  return {
    method: "get",
    path,
    access,
    querySchema: query,
    show: handle,
    mount(app, services) {
      app.get(path, async (c) => {
        if (cacheControl !== undefined) c.header("cache-control", cacheControl);
        const identity = await readerOf(c, services, access);
        if (identity instanceof Response) return identity;
        const call = callOf(c, services, identity, params, query);
        const answer = await handle(call as PageCall<CallerOf<A>, Parsed<P>, Parsed<Q>>);
        return answer instanceof Response ? answer : c.html(answer);
      });
    },
  };
}

interface FormCall<Caller extends Viewer, Params, Query, Fields> extends PageCall<Caller, Params, Query> {
  fields: Fields;
}

interface FormSpec<A extends Exclude<Access, "viewer">, P extends Shape, Q, F extends Shape> {
  path: string;
  /** By default the role that `on` requires, else `signed-in`. */
  access?: A;
  params?: P;
  /** Schema of a URL-encoded body. Without it, the handler reads the body. */
  fields?: F;
  /** Page that shows a rejected request again; without it, the error page does. */
  on?: Page<Identity, Parsed<P>, Q>;
  /** Returns the path to redirect to, or another response. */
  handle: (call: FormCall<CallerOf<A>, Parsed<P>, Q, Parsed<F>>) => string | Response | Promise<string | Response>;
}

/** Declares a form, or another route that a browser sends with POST from a page of this site. */
export function form<
  A extends Exclude<Access, "viewer"> = "signed-in",
  P extends Shape = undefined,
  Q = unknown,
  F extends Shape = undefined,
>(spec: FormSpec<A, P, Q, F>): PageRoute {
  const { path, params, fields, on, handle } = spec;
  const access = spec.access ?? (on === undefined || on.access === "viewer" ? "signed-in" : on.access);
  return {
    method: "post",
    path,
    access,
    mount(app, services) {
      app.post(path, async (c) => {
        requireSameOrigin(c, services.site);
        const identity = await senderOf(c, services, access);
        if (identity instanceof Response) return identity;
        const call = callOf(c, services, identity, params, on?.querySchema);
        try {
          const read = fields && (await readFields(c, fields));
          const answer = await handle({ ...call, fields: read } as Parameters<typeof handle>[0]);
          return answer instanceof Response ? answer : c.redirect(answer, 303);
        } catch (error) {
          if (on === undefined || !(error instanceof KernelBotError) || error.status >= 500) throw error;
          const rejected = { problem: error.message, typed: new URLSearchParams(await c.req.text()) };
          const answer = await on.show({ ...call, rejected } as PageCall<Identity, Parsed<P>, Q>);
          return answer instanceof Response ? answer : c.html(answer, error.status);
        }
      });
    },
  };
}

/** Returns the validated request. The context for rendering is read when it is first used. */
function callOf(c: Context<HttpEnv>, services: Services, identity: Viewer, params: Shape, query: Shape) {
  return {
    c,
    services,
    identity,
    params: params && validated(params, c.req.param()),
    query: query && validated(query, c.req.query()),
    get visit() {
      return visitOf(c, services, identity);
    },
  };
}

/** Returns the caller of a page, or the redirect to sign-in. */
async function readerOf(c: Context<HttpEnv>, services: Services, access: Access): Promise<Viewer | Response> {
  if (access === "viewer") return viewerOf(c, services);
  if (access === "anyone" || access === "signed-in") return senderOf(c, services, access);
  c.header("cache-control", "private, no-store");
  const isBrowser = c.req.header("authorization") === undefined && c.req.header("accept")?.includes("text/html");
  if (isBrowser === true && (await sessionOf(c, services)) === null) return toSignIn(c);
  const identity = await identify(c, services);
  requireRole(identity, access);
  return identity;
}

/** Returns the account of the browser's session, or the redirect to sign-in; undefined where none is required. */
async function senderOf(
  c: Context<HttpEnv>,
  services: Services,
  access: Exclude<Access, "viewer">,
): Promise<Viewer | Response> {
  if (access === "anyone") return undefined;
  c.header("cache-control", "no-store");
  const identity = await sessionOf(c, services);
  if (identity === null) return toSignIn(c);
  if (access !== "signed-in") requireRole(identity, access);
  return identity;
}

function toSignIn(c: Context<HttpEnv>): Response {
  const { pathname, search } = new URL(c.req.url);
  // After a POST, sign-in returns to the page with the form, which the Referer header names.
  const from = URL.parse(c.req.header("referer") ?? "");
  const ofButton = from === null ? "/account" : from.pathname + from.search;
  const next = c.req.method === "GET" || pathname.startsWith("/join/") ? pathname + search : ofButton;
  return c.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
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
