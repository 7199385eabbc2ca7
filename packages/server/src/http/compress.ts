import type { MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import type { HttpEnv } from "./faces.ts";

/** Pages alone: the API's answers are short, streams of events are sent as they come, and assets are compressed once. */
export const compressPages = compress({ encoding: "gzip", contentTypeFilter: /^text\/html/ });

/**
 * What is not to be stored may show a secret beside words that a stranger chose, and the size of both compressed together
 * would tell of the secret: it goes as it is.
 */
export const keepSecretsWhole: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next();
  const { headers } = c.res;
  if (headers.get("cache-control")?.includes("no-store")) headers.append("cache-control", "no-transform");
};
