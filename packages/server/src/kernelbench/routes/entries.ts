/** API endpoints for KernelBench entries: submit, read, stop, resume, and publish. */
import { api } from "@kernelbot/api";
import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import type { z } from "zod";
import { compute } from "../../compute/pool.ts";
import { createEntry, listEntries, readEntry, readEntryFile } from "../entries.ts";
import { resumeEntry, stopEntry } from "../evaluate.ts";
import { publishEntry } from "../publish.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { respondWithETag } from "../../http/etag.ts";
import type { HttpEnv } from "../../services.ts";
import { requireMediaType, validated } from "../../http/input.ts";
import { progressEndpoint } from "./progress.ts";

/**
 * Reads a body of up to 32 MB of JSON in a worker thread, because parsing takes up to a second.
 * @throws KernelBotError `unsupported_media_type`, `bad_request` with line and column of invalid JSON, or
 * `unprocessable`.
 */
async function readUnchecked(c: Context<HttpEnv>): Promise<z.infer<typeof api.kernelbench.createEntry.body>> {
  requireMediaType(c, ["application/json"]);
  const { place, value } = await compute("json", new Uint8Array(await c.req.arrayBuffer()));
  if (place === null) return validated(api.kernelbench.createEntry.body, value);
  const where = `at line ${place.line}, column ${place.column}`;
  throw new KernelBotError("bad_request", `The body is not valid JSON: ${where}: ${place.what}.`);
}

export const entryEndpoints = [
  endpoint(
    api.kernelbench.createEntry,
    async ({ c, services: { database }, identity, body }) => {
      const { entry, created } = await createEntry(database, identity, body, {
        idempotencyKey: c.req.header("idempotency-key"),
      });
      return c.json(entry, created ? 201 : 200, { location: `/api/v1/kernelbench/entries/${entry.id}` });
    },
    readUnchecked,
  ),

  endpoint(api.kernelbench.entries, async ({ c, services, query: { mine, ...filter } }) => {
    const viewer = await viewerOf(c, services);
    const entries = await listEntries(services.database, viewer, filter);
    return c.json({ entries: entries.filter(({ account }) => !mine || account.id === viewer?.account.id) });
  }),

  endpoint(api.kernelbench.entry, async ({ c, services, params, query }) => {
    const viewer = await viewerOf(c, services);
    return respondWithETag(c, await readEntry(services.database, viewer, params.id, query.baseline));
  }),

  endpoint(api.kernelbench.entryFile, async ({ c, services, params }) => {
    const file = await readEntryFile(services.database, await viewerOf(c, services), params.id);
    return c.json(file, 200, {
      "content-disposition": `attachment; filename="kernelbench-entry-${params.id}.json"`,
      "cache-control": "private, no-store",
    });
  }),

  endpoint(api.kernelbench.stop, async ({ c, services, identity, params }) => {
    return c.json(await stopEntry(services.database, identity, params.id));
  }),

  endpoint(api.kernelbench.resume, async ({ c, services, identity, params }) => {
    return c.json(await resumeEntry(services.database, identity, params.id));
  }),

  endpoint(api.kernelbench.publish, async ({ c, services, identity, params }) => {
    return c.json(await publishEntry(services.database, identity, params.id));
  }),

  progressEndpoint,
];
