import type { MiddlewareHandler } from "hono";
import { accepts } from "hono/accepts";
import type { HttpEnv } from "./faces.ts";

/** Shorter ones are not worth it; bytes. */
const LEAST = 1024;

/**
 * Compresses pages alone: the API's answers are short, streams of events are sent as they come, and assets are compressed
 * once.
 */
export const compressPages: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next();
  const { body, headers } = c.res;
  if (headers.get("cache-control")?.includes("no-store")) {
    // What is not to be stored may show a secret beside words that a stranger chose, and the size of both compressed
    // together would tell of the secret: it goes as it is.
    headers.append("cache-control", "no-transform");
    return;
  }
  const isShort = Number(headers.get("content-length") ?? LEAST) < LEAST;
  if (body === null || isShort || headers.get("content-type")?.startsWith("text/html") !== true) return;
  c.header("vary", "Accept-Encoding", { append: true });
  const asked = { header: "Accept-Encoding", supports: ["gzip", "identity"], default: "identity" } as const;
  if (c.req.method === "HEAD" || accepts(c, { ...asked, supports: [...asked.supports] }) !== "gzip") return;
  c.res = new Response(body.pipeThrough(new CompressionStream("gzip")), c.res);
  c.res.headers.delete("content-length");
  c.res.headers.set("content-encoding", "gzip");
};
