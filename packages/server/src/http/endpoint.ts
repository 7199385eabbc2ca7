/**
 * Declarative endpoints of /api/v1: parameters, responses, authorization, and handler. The same schemas validate
 * requests (`mount`) and generate the OpenAPI document (`openapi.ts`).
 */
import { KernelBotError, quote } from "@kernelbot/core";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { requireRole, requireScope, type Identity, type Role, type Scope } from "../auth/identity.ts";
import { identify } from "./identify.ts";
import type { Services, HttpEnv } from "../services.ts";
import { readFields, readJson, validated, wholeNumber } from "./input.ts";

/** Response of an endpoint: JSON of `schema`, another media type, or no body. */
export interface Answer {
  description: string;
  schema?: z.ZodType;
  mediaType?: string;
  headers?: Record<string, string>;
}

type Shape = z.ZodObject | undefined;
type Parsed<T> = T extends z.ZodType ? z.infer<T> : undefined;

export interface Call<Params, Query, Body, Caller> {
  c: Context<HttpEnv>;
  services: Services;
  params: Params;
  query: Query;
  body: Body;
  /** Identity of the caller; undefined for endpoints without a scope. */
  identity: Caller;
}

export interface EndpointSpec<
  Params extends Shape = undefined,
  Query extends Shape = undefined,
  Body extends z.ZodType | undefined = undefined,
  Needed extends Scope | null = null,
> {
  method: "get" | "post" | "put" | "delete";
  /** Path relative to /api/v1, with parameters in braces. */
  path: string;
  summary: string;
  /** Scope that the token must have; null for endpoints without authentication. */
  scope: Needed;
  /** Role that the account must have, if any; `scope` is then `admin`. */
  role?: Role;
  params?: Params;
  /** Whether the last parameter is the rest of the path and may contain slashes. */
  lastTakesSlashes?: true;
  query?: Query;
  headers?: z.ZodObject;
  body?: Body;
  /** Whether the body is URL-encoded instead of JSON. */
  isForm?: true;
  /** Schemas of alternative bodies by media type; requires `readBody`. */
  otherBodies?: Record<string, z.ZodType>;
  /** Media types of a body that the handler reads as a byte stream. */
  byteBody?: readonly string[];
  readBody?: (c: Context<HttpEnv>) => Promise<Parsed<Body>>;
  answers: Record<number, Answer>;
  handle: (
    call: Call<Parsed<Params>, Parsed<Query>, Parsed<Body>, Needed extends null ? undefined : Identity>,
  ) => Response | Promise<Response>;
}

/** Endpoint with its type parameters erased: it can be mounted and described. */
export interface Endpoint extends Omit<
  EndpointSpec<Shape, Shape, z.ZodType | undefined, Scope | null>,
  "handle" | "readBody"
> {
  mount(app: Hono<HttpEnv>, services: Services): void;
}

/** Creates an endpoint from its specification. */
export function endpoint<
  Params extends Shape = undefined,
  Query extends Shape = undefined,
  Body extends z.ZodType | undefined = undefined,
  Needed extends Scope | null = null,
>(spec: EndpointSpec<Params, Query, Body, Needed>): Endpoint {
  const { handle, readBody, ...described } = spec;
  type Handled = Parameters<typeof handle>[0];
  return {
    ...described,
    mount(app, services) {
      const route = `/api/v1${spec.path.replace(/\{(\w+)\}/g, ":$1")}${spec.lastTakesSlashes ? "{.+}" : ""}`;
      app.on(spec.method.toUpperCase(), route, async (c) => {
        const identity = spec.scope === null ? undefined : await identify(c, services);
        if (identity !== undefined && spec.scope !== null) requireScope(identity, spec.scope);
        if (identity !== undefined && spec.role !== undefined) requireRole(identity, spec.role);
        const params = spec.params && validated(spec.params, c.req.param());
        const query = readQuery(spec.query, c);
        const read = spec.isForm ? readFields : readJson;
        const body = readBody ? await readBody(c) : spec.body && (await read(c, spec.body));
        return handle({ c, services, identity, params, query, body } as Handled);
      });
    },
  };
}

/**
 * Validates the query.
 * @throws KernelBotError `unprocessable` for invalid values or unknown parameters.
 */
function readQuery(shape: Shape, c: Context<HttpEnv>): unknown {
  const given = queryOf(c);
  const known = Object.keys(shape?.shape ?? {});
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const there = known.length === 0 ? "this address takes none" : `there are ${known.join(", ")}`;
    throw new KernelBotError("unprocessable", `unknown query parameter ${quote(unknown)}: ${there}`);
  }
  return shape && validated(shape, given);
}

/** Returns the query: a string for a parameter given once, an array for a repeated one. */
function queryOf(c: Context<HttpEnv>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [
      name,
      values.length === 1 ? (values[0] as string) : values,
    ]),
  );
}

/** Path parameter with the number of a submission, run or other row. */
export const Id = z.object({ id: wholeNumber(1, Number.MAX_SAFE_INTEGER) });
