/** Error responses: JSON `{"detail", "code"}` for the API, HTML pages for browsers. */
import { randomUUID } from "node:crypto";
import { KernelBotError, type ApiError, type EntryRefusal } from "@kernelbot/core";
import { errorPage, notFoundPage, refusalPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Identity } from "../db/identity.ts";
import { codeOf, databaseUnavailable, dispositionOf } from "../db/retry.ts";
import { EntryRefused } from "../kernelbench/refusal.ts";
import { sessionOf } from "./cookies.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { tellWait } from "./limits.ts";
import { visitOf } from "./visit.ts";

/**
 * PostgreSQL error code for text with a NUL byte. Such text comes only from a request; other text that may contain one
 * is cleaned before it is stored.
 */
const NO_TEXT = "22021";

/** Registers the handlers for unknown routes and for errors. */
export function answerErrors(app: Hono<HttpEnv>, faces: Faces): void {
  const { log } = faces;
  app.notFound(async (c) => {
    const what = `There is no ${c.req.method} ${c.req.path.slice(0, 200)}.`;
    return wantsPage(c)
      ? c.html(await notFoundPage(what, visitOf(c, faces, await viewer(c, faces))), 404)
      : c.json<ApiError>({ detail: `${what} /api/v1/openapi.json lists what there is.`, code: "not_found" }, 404);
  });
  app.onError(async (error, c) => {
    const known = knownError(error);
    if (known === undefined) {
      const id = randomUUID();
      log.error(
        { err: error, id, requestId: c.get("requestId"), method: c.req.method, path: c.req.path },
        "request failed",
      );
      if (wantsPage(c)) return c.html(await errorPage(id, visitOf(c, faces, null)), 500);
      const detail = `Something went wrong on the server. The organiser finds it in the log as ${id}.`;
      return c.json<ApiError>({ detail, code: "internal" }, 500);
    }
    if (known.status >= 500) {
      // Only the cause has a useful stack trace; a stopping or busy server is not a fault.
      const { message: reason, cause: err } = known;
      log.warn({ reason, err, requestId: c.get("requestId"), path: c.req.path }, "unavailable");
    }
    if (known.code === "unauthorized") c.header("www-authenticate", 'Bearer realm="kernelbot"');
    tellWait(c, known);
    if (wantsPage(c)) {
      const answer = known.code === "not_found" ? notFoundPage : refusalPage;
      return c.html(await answer(known.message, visitOf(c, faces, await viewer(c, faces))), known.status);
    }
    const told: ApiError = { detail: known.message, code: known.code };
    if (known instanceof EntryRefused)
      return c.json<EntryRefusal>({ ...told, faults: [...known.faults] }, known.status);
    return c.json(told, known.status);
  });
}

function knownError(error: Error): KernelBotError | undefined {
  if (error instanceof KernelBotError) return error.code === "internal" ? undefined : error;
  // Errors of Hono itself, such as a path that is not valid UTF-8.
  if (error instanceof HTTPException && error.status < 500)
    return new KernelBotError("bad_request", error.message, { cause: error });
  if (codeOf(error) === NO_TEXT)
    return new KernelBotError("unprocessable", "A text of the request has a NUL in it, which nothing here can have.");
  if (dispositionOf(error) !== "fault") return databaseUnavailable(error);
  return undefined;
}

/** Returns the identity of the session; null where the database is unavailable. */
function viewer(c: Context<HttpEnv>, faces: Faces): Promise<Identity | null> {
  return sessionOf(c, faces).catch(() => null);
}

/** Browsers receive a page; clients that do not accept text/html receive JSON. */
function wantsPage(c: Context<HttpEnv>): boolean {
  if (c.req.path === "/api" || c.req.path.startsWith("/api/")) return false;
  return c.req.header("accept")?.includes("text/html") === true;
}
