import { DEFAULT_BODY, type BodyLimit } from "@kernelbot/api";
import { KernelBotError } from "@kernelbot/core";
import { bodyLimit } from "hono/body-limit";
import type { MiddlewareHandler } from "hono";
import type { HttpEnv } from "../services.ts";

/** Rejects a body that is too large for its route, before reading it completely. */
export function limitBody({ maxBytes, error }: BodyLimit = DEFAULT_BODY): MiddlewareHandler<HttpEnv> {
  const onError = (): never => {
    throw new KernelBotError("too_large", error);
  };
  const limitRead = bodyLimit({ maxSize: maxBytes, onError });
  return (c, next) => {
    // Node reads no more than Content-Length, so the header is enough. Accessing the body would create the full Request.
    const length = c.req.header("content-length");
    if (length === undefined) return limitRead(c, next);
    return Number(length) <= maxBytes ? next() : onError();
  };
}
