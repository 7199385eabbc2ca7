import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { accepts } from "hono/accepts";
import type { Context, MiddlewareHandler } from "hono";
import type { HttpEnv } from "../services.ts";

/** Smaller pages fit into one network packet uncompressed. */
const LEAST_BYTES = 1024;

const packed = promisify(gzip);

/**
 * Compresses pages with gzip, and nothing else: API responses are short, event streams are sent as they are produced,
 * and assets are compressed once. The text is captured in `c.html`, because reading it from a finished response and
 * compressing it as a stream takes as long as rendering most pages.
 *
 * Responses with `no-store` stay uncompressed: they may contain a secret next to text that an attacker chose, and the
 * compressed size would leak the secret (BREACH).
 */
export const compressPages: MiddlewareHandler<HttpEnv> = async (c, next) => {
  let page: string | undefined;
  const respond = c.html as (text: string, ...rest: unknown[]) => Response;
  const respondAndKeep = async (text: string | Promise<string>, ...rest: unknown[]): Promise<Response> => {
    const whole = await text;
    // Markup is a String object rather than a primitive string.
    page = "".concat(whole);
    return respond(whole, ...rest);
  };
  c.html = respondAndKeep;
  await next();
  const { headers, status } = c.res;
  if (headers.get("cache-control")?.includes("no-store")) {
    headers.append("cache-control", "no-transform");
    return;
  }
  if (page === undefined) return;
  headers.append("vary", "accept-encoding");
  if (page.length < LEAST_BYTES || c.req.method === "HEAD" || !takesGzip(c)) return;
  headers.set("content-encoding", "gzip");
  const body = await packed(page);
  // Without this, Hono copies both responses to merge their headers.
  c.res = undefined;
  c.res = new Response(body, { status, headers });
};

function takesGzip(c: Context): boolean {
  const match = (offered: { type: string; q: number }[]): string =>
    offered.some(({ type, q }) => type === "gzip" && q > 0) ? "gzip" : "identity";
  return accepts(c, { header: "Accept-Encoding", supports: ["gzip"], default: "identity", match }) === "gzip";
}
