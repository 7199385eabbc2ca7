/** Endpoints of /api/v1: a contract with its handler. The schemas of the contract validate requests. */
import type { Contract } from "@kernelbot/api";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Context, Hono } from "hono";
import type { z } from "zod";
import { requireRole, requireScope, type Identity } from "../auth/identity.ts";
import { limitBody } from "./body-limit.ts";
import { identify } from "./identify.ts";
import type { Services, HttpEnv } from "../services.ts";
import { readFields, readJson, validated } from "./input.ts";

type Parsed<C extends Contract, Part extends "params" | "query" | "body"> = C extends {
  readonly [Name in Part]: infer Schema extends z.ZodType;
}
  ? z.infer<Schema>
  : undefined;

/** A request as its handler receives it: accepted by the contract. */
export interface Call<C extends Contract> {
  c: Context<HttpEnv>;
  services: Services;
  params: Parsed<C, "params">;
  query: Parsed<C, "query">;
  body: Parsed<C, "body">;
  /** Identity of the caller; undefined for endpoints without a scope. */
  identity: C["scope"] extends null ? undefined : Identity;
}

/** Endpoint with the types of its contract erased: it can be mounted. */
export interface Endpoint {
  contract: Contract;
  mount(app: Hono<HttpEnv>, services: Services): void;
}

/**
 * Creates the endpoint of a contract.
 * @param readBody Reads and validates the body, where that is more than JSON or a form.
 */
export function endpoint<C extends Contract>(
  contract: C,
  handle: (call: Call<C>) => Response | Promise<Response>,
  readBody?: (c: Context<HttpEnv>) => Promise<Parsed<C, "body">>,
): Endpoint {
  const { path, scope, role, bodyLimit, lastTakesSlashes } = contract;
  const method = contract.method.toUpperCase();
  const route = `/api/v1${path.replace(/\{(\w+)\}/g, ":$1")}${lastTakesSlashes ? "{.+}" : ""}`;
  return {
    contract,
    mount(app, services) {
      if (method !== "GET") app.on(method, route, limitBody(bodyLimit));
      app.on(method, route, async (c) => {
        const identity = scope === null ? undefined : await identify(c, services);
        if (identity !== undefined && scope !== null) requireScope(identity, scope);
        if (identity !== undefined && role !== undefined) requireRole(identity, role);
        const params = contract.params && validated(contract.params, c.req.param());
        const query = readQuery(contract.query, c);
        const body = readBody ? await readBody(c) : await readBodyOf(contract, c);
        return handle({ c, services, identity, params, query, body } as Call<C>);
      });
    },
  };
}

async function readBodyOf({ body, isForm }: Contract, c: Context<HttpEnv>): Promise<unknown> {
  return body && (isForm ? readFields(c, body) : readJson(c, body));
}

/**
 * Validates the query.
 * @throws KernelBotError `unprocessable` for invalid values or unknown parameters.
 */
function readQuery(shape: z.ZodObject | undefined, c: Context<HttpEnv>): unknown {
  const values = queryOf(c);
  const known = Object.keys(shape?.shape ?? {});
  const unknown = Object.keys(values).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const there = known.length === 0 ? "this endpoint has none" : `use ${known.join(", ")}`;
    throw new KernelBotError("unprocessable", `unknown query parameter ${quote(unknown)}: ${there}`);
  }
  return shape && validated(shape, values);
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
