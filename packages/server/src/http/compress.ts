import type { MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import type { HttpEnv } from "./faces.ts";

/**
 * What is not to be stored may show a secret beside words that a stranger chose, and the size of both compressed together
 * would tell of the secret: it goes as it is.
 */
const secretsStayWhole: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next();
  if (c.res.headers.get("cache-control")?.includes("no-store")) c.res.headers.append("cache-control", "no-transform");
};

/** Compresses pages alone: the API's answers are short, streams are sent as they come, and assets are compressed once. */
export const compressPages = [
  compress({ contentTypeFilter: (type) => type.startsWith("text/html") }),
  secretsStayWhole,
] as const;
