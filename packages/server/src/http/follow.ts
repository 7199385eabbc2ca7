/** Responses that are event streams: where they resume, and how long the reader may follow. */
import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import type { Viewer } from "../auth/visibility.ts";
import { viewerOf } from "./identify.ts";
import { eventStream, type EventSource } from "./event-stream.ts";
import type { Services, HttpEnv } from "../services.ts";
import { countStream } from "./limit-clients.ts";

/**
 * Responds with the events after Last-Event-ID, else after `from`.
 * @throws KernelBotError where the client, or the server, has too many streams open.
 */
export function streamEvents(
  c: Context<HttpEnv>,
  services: Services,
  { from, ...source }: Omit<EventSource, "after" | "closing"> & { from: number },
): Response {
  countStream(c, services);
  return c.body(eventStream({ ...source, after: lastEventId(c) ?? from, closing: services.closing }), 200, {
    "content-type": source.format === "lines" ? "application/x-ndjson" : "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    // Disables buffering in proxies such as nginx.
    "x-accel-buffering": "no",
  });
}

function lastEventId(c: Context<HttpEnv>): number | undefined {
  const header = c.req.header("last-event-id");
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

/**
 * Returns whether the caller may still see the content, by the current state of the session or token; false where it
 * has expired or is revoked.
 */
export async function isStillAllowed(
  c: Context<HttpEnv>,
  services: Services,
  may: (viewer: Viewer) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await may(await viewerOf(c, services));
  } catch (error) {
    if (error instanceof KernelBotError && error.status < 500) return false;
    throw error;
  }
}
