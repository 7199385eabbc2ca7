/**
 * Contracts of the endpoints of /api/v1, as data. The server's routes, the typed client, the OpenAPI document and the
 * reference page are derived from them.
 */
import type { Role, Scope } from "@kernelbot/core";
import type { z } from "zod";
import type { BodyLimit } from "./body-limits.ts";

/** Response of an endpoint: JSON of `schema`, another media type, or no body. */
export interface Answer {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Contract of an endpoint: its method, path, schemas of request and responses, permissions, and limits. */
export interface Contract {
  readonly method: "get" | "post" | "put" | "delete";
  /** Path relative to /api/v1, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** Scope that the token must have; null for endpoints without authentication. */
  readonly scope: Scope | null;
  /** Role that the account must have, if any; `scope` is then `admin`. */
  readonly role?: Role;
  readonly params?: z.ZodObject;
  /** Whether the last parameter is the rest of the path and may contain slashes. */
  readonly lastTakesSlashes?: true;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Whether the body is URL-encoded instead of JSON. */
  readonly isForm?: true;
  /** Schemas of alternative bodies by media type, which the server reads itself. */
  readonly otherBodies?: Readonly<Record<string, z.ZodType>>;
  /** Media types of a body that is a byte stream without a schema. */
  readonly byteBody?: readonly string[];
  /** Maximum size of the body; DEFAULT_BODY unless given. */
  readonly bodyLimit?: BodyLimit;
  /** Whether repeating a POST changes nothing more, as when a token is revoked. Every other method is idempotent. */
  readonly isIdempotent?: true;
  readonly answers: Readonly<Record<number, Answer>>;
}

type Spec = Omit<Contract, "method" | "path">;

/** Returns the function that creates contracts of a method, with the exact types of their schemas. */
function contractsOf(method: Contract["method"]) {
  return <const S extends Spec>(path: string, spec: S) => ({ method, path, ...spec });
}

/**
 * Creates the contract of an endpoint.
 *
 * @example
 * get("/queue", { summary: "Get the queue", scope: null, answers: { 200: { description: "...", schema: Queue } } });
 */
export const get = contractsOf("get");
export const post = contractsOf("post");
export const put = contractsOf("put");
export const del = contractsOf("delete");

/** Permissions of endpoints for accounts with a role. */
export const ORGANISER = { scope: "admin", role: "organiser" } as const;
export const MODERATOR = { scope: "admin", role: "moderator" } as const;
export const ADMINISTRATOR = { scope: "admin", role: "administrator" } as const;
