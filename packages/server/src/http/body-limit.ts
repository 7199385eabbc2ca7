import { CONTRACTS, DEFAULT_BODY, ENTRY_BODY, EVALUATIONS_BODY, type BodyLimit } from "@kernelbot/api";
import { KernelBotError } from "@kernelbot/core";
import { bodyLimit } from "hono/body-limit";
import type { MiddlewareHandler } from "hono";
import type { HttpEnv } from "../services.ts";

/** Paths whose limit is not the default one. */
const LIMITS: readonly { path: RegExp; limit: BodyLimit }[] = [
  { path: /^\/kernelbench\/submit$/, limit: ENTRY_BODY },
  { path: /^\/kernelgym\/evaluate\/batch$/, limit: EVALUATIONS_BODY },
  ...CONTRACTS.flatMap(({ path, bodyLimit }) =>
    bodyLimit === undefined
      ? []
      : [{ path: new RegExp(`^/api/v1${path.replace(/\{\w+\}/g, "[^/]+")}$`), limit: bodyLimit }],
  ),
];

/** Rejects a body that is too large for its route, before reading it completely. */
export const limitBody: MiddlewareHandler<HttpEnv> = (c, next) => {
  // Accessing the body would create the full fetch Request, which is measurable on long polls.
  if (c.req.method === "GET" || c.req.method === "HEAD") return next();
  const { maxBytes, error } = LIMITS.find(({ path }) => path.test(c.req.path))?.limit ?? DEFAULT_BODY;
  const onError = () => {
    throw new KernelBotError("too_large", error);
  };
  // Node reads no more than Content-Length, so the header is enough. Accessing the body would create the full Request.
  const length = c.req.header("content-length");
  if (length !== undefined) return Number(length) <= maxBytes ? next() : onError();
  return bodyLimit({ maxSize: maxBytes, onError })(c, next);
};
