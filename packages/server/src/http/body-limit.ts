import { formatBytes, KernelBotError, MAX_SOURCE_BYTES } from "@kernelbot/core";
import { bodyLimit } from "hono/body-limit";
import type { MiddlewareHandler } from "hono";
import type { HttpEnv } from "./faces.ts";

/** JSON at most doubles a text, by a backslash before each character that needs one; the rest is room for fields. */
const SUBMISSION_BYTES = 2 * MAX_SOURCE_BYTES + 100_000;
/** A report of a runner carries samples and output of many cases. */
const REPORT_BYTES = 32_000_000;

/** Refuses a body that is too large for its route, before it is read to the end. */
export const limitBody: MiddlewareHandler<HttpEnv> = (c, next) => {
  // To ask whether it has a body would make the request whole, which polls would feel.
  if (c.req.method === "GET" || c.req.method === "HEAD") return next();
  const isRunner = c.req.path.startsWith("/api/v1/runner/");
  const maxSize = isRunner ? REPORT_BYTES : SUBMISSION_BYTES;
  const what = isRunner
    ? `A report may have ${formatBytes(REPORT_BYTES)} at most.`
    : `The request is too large: a submission may have ${MAX_SOURCE_BYTES.toLocaleString("en-US")} bytes at most.`;
  return bodyLimit({
    maxSize,
    onError: () => {
      throw new KernelBotError("too_large", what);
    },
  })(c, next);
};
