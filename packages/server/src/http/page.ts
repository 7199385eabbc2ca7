/**
 * Declarative routes outside /api/v1: pages, the forms on them, downloads and event streams. Each route declares who
 * may request it, so that a test can list every route with its access.
 *
 * A form that succeeds redirects to a page (303); one that is rejected shows its own page again with the error and the
 * input.
 */
import type { BodyLimit } from "@kernelbot/api";
import { KernelBotError } from "@kernelbot/core";
import type { SignedVisit, Visit } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { requireRole, type Identity, type Role, type Scope } from "../auth/identity.ts";
import type { Viewer } from "../auth/visibility.ts";
import type { HttpEnv, Services } from "../services.ts";
import { sessionOf } from "./cookies.ts";
import { setErrorHeaders } from "./errors.ts";
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
  method: "get" | "post" | "put" | "delete";
  /** Path in Hono's syntax. */
  path: string;
  /** Who may request the route; a scope is that of a token. */
  access: Access | Scope;
  /** Maximum size of the body; that of most routes unless given. */
  bodyLimit?: BodyLimit | undefined;
  /** Whether other sites may show responses, errors included, in frames of their pages. */
  isFramed?: boolean | undefined;
  mount(app: Hono<HttpEnv>, services: Services): void;
}

type Shape = z.ZodType | undefined;
interface Schemas {
  params: Shape;
  query: Shape;
}
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

/** Returns the text of an HTML page, or another response. */
type Show<Caller extends Viewer, Params, Query> = (call: PageCall<Caller, Params, Query>) => Answer | Promise<Answer>;
type Answer = string | Response;

interface PageSpec<A extends Access, P extends Shape, Q extends Shape> {
  path: string;
  access: A;
  params?: P;
  query?: Q;
  /** Cache-Control, where it differs from `private, no-cache`. Pages that require an account are never stored. */
  cacheControl?: "no-store" | "private, no-store";
  isFramed?: boolean;
  handle: Show<CallerOf<A>, Parsed<P>, Parsed<Q>>;
}

/** A page that forms may be declared on. */
export interface Page<Caller extends Viewer, Params, Query> extends PageRoute {
  access: Access;
  schemas: Schemas;
  show: Show<Caller, Params, Query>;
}

/** Declares a page, or another route that is read with GET. */
export function page<A extends Access, P extends Shape = undefined, Q extends Shape = undefined>(
  spec: PageSpec<A, P, Q>,
): Page<CallerOf<A>, Parsed<P>, Parsed<Q>> {
  const { path, access, params, query, cacheControl, isFramed, handle } = spec;
  const schemas = { params, query };
  return {
    method: "get",
    path,
    access,
    isFramed,
    schemas,
    show: handle,
    mount(app, services) {
      app.get(path, async (c) => {
        if (cacheControl !== undefined) c.header("cache-control", cacheControl);
        const identity = await callerOf(c, services, access, true);
        if (identity instanceof Response) return identity;
        const call = callOf(c, services, identity, schemas);
        const answer = await handle(call as PageCall<CallerOf<A>, Parsed<P>, Parsed<Q>>);
        return answer instanceof Response ? answer : c.html(answer);
      });
    },
  };
}

interface FormCall<Caller extends Viewer, Params, Query, Fields> extends PageCall<Caller, Params, Query> {
  fields: Fields;
}

interface FormSpec<A extends Exclude<Access, "viewer">, F extends Shape, P extends Shape, OnParams, Query> {
  path: string;
  /** By default the role that `on` requires, else `signed-in`. */
  access?: A;
  /** By default those of `on`. */
  params?: P;
  /** Schema of a URL-encoded body. Without it, the handler reads the body. */
  fields?: F;
  bodyLimit?: BodyLimit;
  /** Page that shows a rejected request again; without it, the error page does. */
  on?: Page<Identity, OnParams, Query>;
}

/** What a form does: an action and the path to redirect to, or a handler that returns that path or another response. */
type FormAction<Call> =
  | { handle: (call: Call) => Promise<unknown>; redirectTo: (call: Call) => string }
  | { handle: (call: Call) => Answer | Promise<Answer>; redirectTo?: undefined };

/** Declares a form, or another route that a browser sends with POST from a page of this site. */
export function form<
  A extends Exclude<Access, "viewer"> = "signed-in",
  F extends Shape = undefined,
  OnParams = unknown,
  P extends z.ZodType<OnParams> | undefined = undefined,
  Query = unknown,
>(
  spec: FormSpec<A, F, P, OnParams, Query> &
    FormAction<FormCall<CallerOf<A>, P extends z.ZodType ? z.infer<P> : OnParams, Query, Parsed<F>>>,
): PageRoute {
  const { path, fields, on, handle, redirectTo } = spec;
  const schemas = { params: spec.params ?? on?.schemas.params, query: on?.schemas.query };
  const access = spec.access ?? (on === undefined || on.access === "viewer" ? "signed-in" : on.access);
  return {
    method: "post",
    path,
    access,
    bodyLimit: spec.bodyLimit,
    mount(app, services) {
      app.post(path, async (c) => {
        requireSameOrigin(c, services.site);
        const identity = await callerOf(c, services, access, false);
        if (identity instanceof Response) return identity;
        const call = callOf(c, services, identity, schemas);
        try {
          const read = { ...call, fields: fields && (await readFields(c, fields)) } as Parameters<typeof handle>[0];
          const answer = await handle(read);
          const target = redirectTo === undefined ? (answer as Answer) : redirectTo(read);
          return target instanceof Response ? target : c.redirect(target, 303);
        } catch (error) {
          if (on === undefined || !(error instanceof KernelBotError) || error.status >= 500) throw error;
          const rejected = { problem: error.message, typed: new URLSearchParams(await c.req.text()) };
          setErrorHeaders(c, error);
          const answer = await on.show({ ...call, rejected } as PageCall<Identity, OnParams, Query>);
          return answer instanceof Response ? answer : c.html(answer, error.status);
        }
      });
    },
  };
}

/** Returns the validated request. The context for rendering is read when it is first used. */
function callOf(c: Context<HttpEnv>, services: Services, identity: Viewer, { params, query }: Schemas) {
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

/** Returns the caller, or the redirect to sign-in. Only pages (`takesToken`) accept a token for a role. */
async function callerOf(c: Context<HttpEnv>, services: Services, access: Access, takesToken: boolean) {
  if (access === "anyone") return undefined;
  if (access === "viewer") return viewerOf(c, services);
  const byToken = takesToken && access !== "signed-in";
  c.header("cache-control", byToken ? "private, no-store" : "no-store");
  const isProgram =
    c.req.header("authorization") !== undefined || c.req.header("accept")?.includes("text/html") !== true;
  const session = byToken && isProgram ? undefined : await sessionOf(c, services);
  if (session === null) return toSignIn(c);
  const identity = byToken ? await identify(c, services) : session;
  if (identity !== undefined && access !== "signed-in") requireRole(identity, access);
  return identity;
}

function toSignIn(c: Context<HttpEnv>): Response {
  const { pathname, search } = new URL(c.req.url);
  // After a POST, sign-in returns to the page with the form, which the Referer header names.
  const from = URL.parse(c.req.header("referer") ?? "");
  const ofButton = from === null ? "/" : from.pathname + from.search;
  const next = c.req.method === "GET" || pathname.startsWith("/join/") ? pathname + search : ofButton;
  return c.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
}

/**
 * Returns the schema of `?done=`, which selects a message after a redirect. Messages are fixed because anyone can craft
 * a URL.
 */
export function doneQuery<Words extends Record<string, string>>(words: Words) {
  return z.object({
    done: z
      .enum(Object.keys(words) as (keyof Words & string)[])
      .optional()
      .catch(undefined),
  });
}
