/** Responses of the services of platforms: lists in pages, and errors. */
import { parseRetryAfter } from "@kernelbot/core";
import type { Configuration } from "openid-client";
import { requestService } from "./protocol.ts";
import { withoutNulls } from "./without-nulls.ts";

/** Maximum number of pages that are read of a list. */
const MAX_PAGES = 50;

/**
 * Reads the pages of a list, which name the next one in the header Link (RFC 8288).
 * @throws if the platform does not respond, or the list has too many pages.
 */
export async function* pages(
  configuration: Configuration,
  { scope, url, accept }: { scope: string; url: URL; accept: string },
): AsyncGenerator {
  let next: URL | null = url;
  for (let page = 0; next !== null && page < MAX_PAGES; page += 1) {
    const response: Response = await requestService(configuration, { scope, url: next, accept });
    yield await jsonOf(response);
    const [, target] = /<([^>]+)>[^,]*;\s*rel="?next"?/i.exec(response.headers.get("link") ?? "") ?? [];
    next = target === undefined ? null : new URL(target, next);
  }
  if (next !== null) throw new Error(`the platform's list has more than ${MAX_PAGES} pages`);
}

/** Failure that a platform reported. */
export class PlatformError extends Error {
  readonly status: number;
  /** Delay in milliseconds that the platform asks for. */
  readonly retryAfterMs: number;
  constructor(response: Response, text: string) {
    const detail = text
      .replaceAll(/<[^>]*>|[\s\p{C}]+/gu, " ")
      .trim()
      .slice(0, 200);
    super(`the platform responded with ${response.status}${detail === "" ? "" : `: ${detail}`}`);
    this.status = response.status;
    this.retryAfterMs = parseRetryAfter(response.headers.get("retry-after")) ?? 0;
  }
}

/** @throws PlatformError unless the platform accepted the request. */
export async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new PlatformError(response, await response.text().catch(() => ""));
}

/** Returns the JSON of a response, without nulls. @throws PlatformError unless the platform accepted the request. */
export async function jsonOf(response: Response): Promise<unknown> {
  return withoutNulls(await (await requireSuccess(response)).json());
}

/** Returns why a request to a platform failed. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return [message, ...(cause instanceof Error ? [cause.message] : [])].join(": ").slice(0, 500);
}
