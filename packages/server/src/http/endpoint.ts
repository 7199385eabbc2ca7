/**
 * An endpoint of /api/v1 as data: what it takes, what it answers, who may ask, and the function that does it. The same
 * schemas validate what comes in (`mount`) and describe it (`openapi.ts`).
 */
import { KernelBotError, quote } from "@kernelbot/core";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { requireRole, requireScope, type Identity, type Role, type Scope } from "../db/identity.ts";
import { identify } from "./auth.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { readFields, readJson, validated, wholeNumber } from "./input.ts";

/** What an answer holds: a document of this shape, another media type, or nothing. */
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
  faces: Faces;
  params: Params;
  query: Query;
  body: Body;
  /** Who asks; undefined where anybody may. */
  identity: Caller;
}

export interface EndpointSpec<
  Params extends Shape = undefined,
  Query extends Shape = undefined,
  Body extends z.ZodType | undefined = undefined,
  Needed extends Scope | null = null,
> {
  method: "get" | "post" | "put" | "delete";
  /** With its parameters in braces, relative to /api/v1. */
  path: string;
  summary: string;
  /** The scope that the token must have; null where no token is needed. */
  scope: Needed;
  /** The role that the account must have, where there is one; `scope` is then `admin`. */
  role?: Role;
  params?: Params;
  /** Whether the last parameter is the rest of the address, which may have slashes in it. */
  lastTakesSlashes?: true;
  query?: Query;
  headers?: z.ZodObject;
  body?: Body;
  /** Whether the body is a form of plain fields instead of JSON. */
  isForm?: true;
  /** Other bodies that stand for the same, by media type; with them comes a reader of its own. */
  otherBodies?: Record<string, z.ZodType>;
  /** The media types of a body that the handler takes as a stream of bytes. */
  byteBody?: readonly string[];
  readBody?: (c: Context<HttpEnv>) => Promise<Parsed<Body>>;
  answers: Record<number, Answer>;
  handle: (
    call: Call<Parsed<Params>, Parsed<Query>, Parsed<Body>, Needed extends null ? undefined : Identity>,
  ) => Response | Promise<Response>;
}

/** An endpoint whose particular shapes no longer matter: it can be mounted and described. */
export interface Endpoint extends Omit<
  EndpointSpec<Shape, Shape, z.ZodType | undefined, Scope | null>,
  "handle" | "readBody"
> {
  mount(app: Hono<HttpEnv>, faces: Faces): void;
}

/** Makes an endpoint of its parts. */
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
    mount(app, faces) {
      const route = `/api/v1${spec.path.replace(/\{(\w+)\}/g, ":$1")}${spec.lastTakesSlashes ? "{.+}" : ""}`;
      app.on(spec.method.toUpperCase(), route, async (c) => {
        const identity = spec.scope === null ? undefined : await identify(c, faces);
        if (identity !== undefined && spec.scope !== null) requireScope(identity, spec.scope);
        if (identity !== undefined && spec.role !== undefined) requireRole(identity, spec.role);
        const params = spec.params && validated(spec.params, c.req.param());
        const query = readQuery(spec.query, c);
        const read = spec.isForm ? readFields : readJson;
        const body = readBody ? await readBody(c) : spec.body && (await read(c, spec.body));
        return handle({ c, faces, identity, params, query, body } as Handled);
      });
    },
  };
}

/** @throws KernelBotError `unprocessable` for a query that does not fit, or has a parameter that the endpoint does not take. */
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

/** The query: a text for what is given once, an array for what is repeated. */
function queryOf(c: Context<HttpEnv>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [
      name,
      values.length === 1 ? (values[0] as string) : values,
    ]),
  );
}

/** The number of a submission or a run in an address. */
export const Id = z.object({ id: wholeNumber(1, Number.MAX_SAFE_INTEGER) });
