import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { accepts } from "hono/accepts";
import type { Context, MiddlewareHandler } from "hono";
import type { HttpEnv } from "./faces.ts";

/** What is smaller fits into one packet as it is. */
const LEAST_BYTES = 1024;

const packed = promisify(gzip);

/**
 * Compresses pages, and nothing else: the API's answers are short, streams of events are sent as they come, and assets are
 * compressed once. The text is taken as it is given to `c.html`, since to read it from a finished response, and to compress it as
 * a stream, takes as long as to make most pages.
 *
 * What is not to be stored may show a secret beside words that a stranger chose, and the size of both compressed together
 * would tell of the secret: it goes as it is.
 */
export const compressPages: MiddlewareHandler<HttpEnv> = async (c, next) => {
  let page: string | undefined;
  const respond = c.html as (text: string, ...rest: unknown[]) => Response;
  const respondAndKeep = async (text: string | Promise<string>, ...rest: unknown[]): Promise<Response> => {
    const whole = await text;
    // Markup is an object that says so, which only looks like a text.
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
  // Without this, both responses are made whole to be merged.
  c.res = undefined;
  c.res = new Response(body, { status, headers });
};

function takesGzip(c: Context): boolean {
  const match = (offered: { type: string; q: number }[]): string =>
    offered.some(({ type, q }) => type === "gzip" && q > 0) ? "gzip" : "identity";
  return accepts(c, { header: "Accept-Encoding", supports: ["gzip"], default: "identity", match }) === "gzip";
}
