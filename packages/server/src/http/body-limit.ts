import {
  formatBytes,
  IMPORT_SOURCE_BYTES,
  KernelBotError,
  MAX_ARTIFACT_BYTES,
  MAX_ENTRY_BYTES,
  MAX_SOURCE_BYTES,
  MAX_SYNC_BYTES,
} from "@kernelbot/core";
import { bodyLimit } from "hono/body-limit";
import type { MiddlewareHandler } from "hono";
import type { HttpEnv } from "../services.ts";

/**
 * Maximum body of a submission. A duel has two sources; JSON escapes at most double each; the rest is for other fields.
 */
const SUBMISSION_BYTES = 2 * 2 * MAX_SOURCE_BYTES + 100_000;
/** Maximum report of a runner: samples and output of many cases. */
const REPORT_BYTES = 32_000_000;
/** Maximum upload of a suite: the files of all its problems. */
const SUITE_BYTES = 32_000_000;
/** Routes that accept a submission file of an entry, and the size of their other fields. */
const TAKE_ENTRIES = ["/api/v1/kernelbench/entries", "/api/v1/kernelbench/validate", "/kernelbench/submit"];
const REQUEST_BYTES = 10_000;
/** Maximum batch of an import: its sources, at most doubled by JSON escapes, and its rows and problems. */
const IMPORT_BYTES = 2 * IMPORT_SOURCE_BYTES + 8_000_000;
/** Maximum GitHub delivery. A pull request event repeats its texts several times. */
const DELIVERY_BYTES = 3_000_000;

/** Rejects a body that is too large for its route, before reading it completely. */
export const limitBody: MiddlewareHandler<HttpEnv> = (c, next) => {
  // Accessing the body would create the full fetch Request, which is measurable on long polls.
  if (c.req.method === "GET" || c.req.method === "HEAD") return next();
  const { maxSize, what } = limitOf(c.req.path);
  const onError = () => {
    throw new KernelBotError("too_large", what);
  };
  // Node reads no more than Content-Length, so the header is enough. Accessing the body would create the full Request.
  const length = c.req.header("content-length");
  if (length !== undefined) return Number(length) <= maxSize ? next() : onError();
  return bodyLimit({ maxSize, onError })(c, next);
};

function limitOf(path: string): { maxSize: number; what: string } {
  if (/^\/api\/v1\/runner\/runs\/\d+\/artifacts\//.test(path)) {
    return { maxSize: MAX_ARTIFACT_BYTES, what: `An artifact may have ${formatBytes(MAX_ARTIFACT_BYTES)} at most.` };
  }
  if (path.startsWith("/api/v1/runner/")) {
    return { maxSize: REPORT_BYTES, what: `A report may have ${formatBytes(REPORT_BYTES)} at most.` };
  }
  if (path === "/api/v1/kernelbench/suites") {
    return { maxSize: SUITE_BYTES, what: `A suite may have ${formatBytes(SUITE_BYTES)} at most.` };
  }
  if (path === "/api/v1/problems/sync") {
    return { maxSize: MAX_SYNC_BYTES, what: `A tree of problems may have ${formatBytes(MAX_SYNC_BYTES)} at most.` };
  }
  if (TAKE_ENTRIES.includes(path)) {
    const what = `A submission file may have ${MAX_ENTRY_BYTES.toLocaleString("en-US")} bytes at most.`;
    return { maxSize: MAX_ENTRY_BYTES + REQUEST_BYTES, what };
  }
  if (path === "/api/v1/datasets/import") {
    return { maxSize: IMPORT_BYTES, what: `A batch of an import may have ${formatBytes(IMPORT_BYTES)} at most.` };
  }
  if (path === "/api/v1/kernelbench/github") {
    return { maxSize: DELIVERY_BYTES, what: `A delivery may have ${formatBytes(DELIVERY_BYTES)} at most.` };
  }
  const what = `The request is too large: a submission may have ${MAX_SOURCE_BYTES.toLocaleString("en-US")} bytes at most.`;
  return { maxSize: SUBMISSION_BYTES, what };
}
