/** Error responses: JSON `{"detail", "code"}` for the API, HTML pages for browsers. */
import { randomUUID } from "node:crypto";
import { KernelBotError, type ApiError } from "@kernelbot/core";
import { errorPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Identity } from "../auth/identity.ts";
import { codeOf, databaseUnavailable, dispositionOf } from "../db/retry.ts";
import { sessionOf } from "./cookies.ts";
import type { Services, HttpEnv } from "../services.ts";
import { visitOf } from "./page-context.ts";

/**
 * PostgreSQL error code for text with a NUL byte. Such text comes only from a request; other text that may contain one
 * is cleaned before it is stored.
 */
const NO_TEXT = "22021";

/** Seconds after which to retry a request that failed because something is unavailable. */
const RETRY_AFTER_S = 1;

/** Registers the handlers for unknown routes and for errors. */
export function handleErrors(app: Hono<HttpEnv>, services: Services): void {
  const { log } = services;
  app.notFound(async (c) => {
    const message = `No route for ${c.req.method} ${c.req.path.slice(0, 200)}.`;
    return wantsPage(c)
      ? c.html(
          await errorPage({ code: "not_found", message, visit: visitOf(c, services, await viewer(c, services)) }),
          404,
        )
      : c.json<ApiError>(
          {
            detail: `${message} Another version, or an optional feature that is off here, may have it. See /api/v1/openapi.json.`,
            code: "not_found",
          },
          404,
        );
  });
  app.onError(async (error, c) => {
    const known = knownError(error);
    if (known === undefined) {
      const id = randomUUID();
      log.error(
        { err: error, id, requestId: c.get("requestId"), method: c.req.method, path: c.req.path },
        "request failed",
      );
      const detail = `Internal server error. Report the id ${id} to the operator, who finds it in the log.`;
      if (wantsPage(c)) {
        return c.html(await errorPage({ code: "internal", message: detail, visit: visitOf(c, services, null) }), 500);
      }
      return c.json<ApiError>({ detail, code: "internal" }, 500);
    }
    if (known.status >= 500) {
      // Only the cause has a useful stack trace; a stopping or busy server is not a fault.
      const { message: reason, cause: err } = known;
      log.warn({ reason, err, requestId: c.get("requestId"), path: c.req.path }, "unavailable");
    }
    if (known.code === "unauthorized") c.header("www-authenticate", 'Bearer realm="kernelbot"');
    setErrorHeaders(c, known);
    if (wantsPage(c)) {
      const visit = visitOf(c, services, await viewer(c, services));
      return c.html(await errorPage({ code: known.code, message: known.message, visit }), known.status);
    }
    return c.json<ApiError>({ detail: known.message, code: known.code, ...known.fields }, known.status);
  });
}

/** Sets Retry-After where the time is known, and the error's own headers. */
export function setErrorHeaders(c: Context<HttpEnv>, error: KernelBotError): void {
  const retryAfterS = error.retryAfterS ?? (error.code === "unavailable" ? RETRY_AFTER_S : undefined);
  if (retryAfterS !== undefined) c.header("retry-after", String(retryAfterS));
  for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
}

function knownError(error: Error): KernelBotError | undefined {
  if (error instanceof KernelBotError) return error.code === "internal" ? undefined : error;
  // Errors of Hono itself, such as a path that is not valid UTF-8.
  if (error instanceof HTTPException && error.status < 500)
    return new KernelBotError("bad_request", error.message, { cause: error });
  if (codeOf(error) === NO_TEXT)
    return new KernelBotError("unprocessable", "A text of the request contains a NUL character, which is not allowed.");
  if (dispositionOf(error) !== "fault") return databaseUnavailable(error);
  return undefined;
}

/** Returns the identity of the session; null where the database is unavailable. */
function viewer(c: Context<HttpEnv>, services: Services): Promise<Identity | null> {
  return sessionOf(c, services).catch(() => null);
}

/** Browsers receive a page; clients that do not accept text/html receive JSON. */
function wantsPage(c: Context<HttpEnv>): boolean {
  if (c.req.path === "/api" || c.req.path.startsWith("/api/")) return false;
  return c.req.header("accept")?.includes("text/html") === true;
}
