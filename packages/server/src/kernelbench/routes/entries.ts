/** API endpoints for KernelBench entries: submit, read, stop, resume, and publish. */
import {
  BaselineText,
  checkEntry,
  KernelBenchEntry,
  KernelBenchEntryFile,
  KernelBenchEntryList,
  KernelBenchEntryRejection,
  KernelBenchEntryRequest,
  KernelBenchEntrySummary,
  KernelBotError,
  SuiteName,
  TargetName,
} from "@kernelbot/core";
import type { Context } from "hono";
import { z } from "zod";
import { compute } from "../../compute/pool.ts";
import { createEntry, listEntries, readEntry, readEntryFile } from "../entries.ts";
import { resumeEntry, stopEntry } from "../evaluate.ts";
import { publishEntry } from "../publish.ts";
import { EntryRefused } from "../entry-refused.ts";
import { readSuite } from "../suites.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint, Id } from "../../http/endpoint.ts";
import { answerTagged } from "../../http/etag.ts";
import type { HttpEnv } from "../../services.ts";
import { requireMediaType, validated } from "../../http/input.ts";
import { progressEndpoint } from "./progress.ts";

/** Filter of a list of entries. */
export const OfSuite = z.object({ suite: SuiteName.optional(), target: TargetName.optional() });

/** Baseline against which speedups are computed. */
export const AgainstBaseline = z.object({
  baseline: BaselineText.optional().describe(
    "eager (default), compiled or stored:ID; a stored baseline must have the entry's hardware (otherwise 422)",
  ),
});

/**
 * Request whose file is not validated yet: `checkEntry` reports every fault of the file, a schema only the first few.
 */
const Unchecked = KernelBenchEntryRequest.extend({ file: z.union([KernelBenchEntryFile, z.unknown()]) });

/**
 * Reads a body of up to 32 MB of JSON in a worker thread, because parsing takes up to a second.
 * @throws KernelBotError `unsupported_media_type`, `bad_request` with line and column of invalid JSON, or
 * `unprocessable`.
 */
async function readUnchecked(c: Context<HttpEnv>): Promise<z.infer<typeof Unchecked>> {
  requireMediaType(c, ["application/json"]);
  const { place, value } = await compute("json", new Uint8Array(await c.req.arrayBuffer()));
  if (place === null) return validated(Unchecked, value);
  const where = `at line ${place.line}, column ${place.column}`;
  throw new KernelBotError("bad_request", `The body is not valid JSON: ${where}: ${place.what}.`);
}

export const entryEndpoints = [
  endpoint({
    method: "post",
    path: "/kernelbench/entries",
    summary: "Submit a KernelBench entry",
    scope: "submit",
    headers: z.object({
      "idempotency-key": z.string().optional().describe("A repeated request with the same key returns the first entry"),
    }),
    body: Unchecked,
    readBody: readUnchecked,
    answers: {
      201: {
        description: "Entry stored as a draft and queued for evaluation",
        schema: KernelBenchEntrySummary,
        headers: { Location: "Path of the entry" },
      },
      200: {
        description: "The same entry already exists",
        schema: KernelBenchEntrySummary,
        headers: { Location: "Path of the entry" },
      },
      422: { description: "Invalid file, with all errors", schema: KernelBenchEntryRejection },
    },
    async handle({ c, services: { database }, identity, body }) {
      const { check, file } = checkEntry(body.file, await readSuite(database, body.suite));
      if (file === null) throw new EntryRefused(check.faults);
      const { entry, created } = await createEntry(
        database,
        identity,
        { ...body, file },
        { idempotencyKey: c.req.header("idempotency-key") },
      );
      return c.json(entry, created ? 201 : 200, { location: `/api/v1/kernelbench/entries/${entry.id}` });
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/entries",
    summary: "List published entries and the caller's own",
    scope: null,
    query: OfSuite.extend({ mine: z.stringbool().default(false).describe("Only the caller's own entries") }),
    answers: {
      200: {
        description: "Entries, ordered by correct rate, then Fast@1, then geometric mean speedup",
        schema: KernelBenchEntryList,
      },
    },
    async handle({ c, services, query: { mine, ...asked } }) {
      const viewer = await viewerOf(c, services);
      const entries = await listEntries(services.database, viewer, asked);
      return c.json({ entries: entries.filter(({ account }) => !mine || account.id === viewer?.account.id) });
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/entries/{id}",
    summary: "Get an entry with its scores and kernel results",
    scope: null,
    params: Id,
    query: AgainstBaseline,
    answers: {
      200: { description: "The entry", schema: KernelBenchEntry, headers: { ETag: "Version of the response" } },
      304: { description: "Not modified since the ETag in If-None-Match" },
    },
    async handle({ c, services, params, query }) {
      const viewer = await viewerOf(c, services);
      return answerTagged(c, await readEntry(services.database, viewer, params.id, query.baseline));
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/entries/{id}/file",
    summary: "Get the submission file of an entry",
    scope: null,
    params: Id,
    answers: {
      200: { description: "Metadata, and kernels by key; removed kernels are omitted", schema: KernelBenchEntryFile },
    },
    async handle({ c, services, params }) {
      const file = await readEntryFile(services.database, await viewerOf(c, services), params.id);
      return c.json(file, 200, {
        "content-disposition": `attachment; filename="kernelbench-entry-${params.id}.json"`,
        "cache-control": "private, no-store",
      });
    },
  }),

  endpoint({
    method: "post",
    path: "/kernelbench/entries/{id}/stop",
    summary: "Stop the evaluation of an entry",
    scope: "submit",
    params: Id,
    answers: { 200: { description: "The updated entry", schema: KernelBenchEntrySummary } },
    async handle({ c, services, identity, params }) {
      return c.json(await stopEntry(services.database, identity, params.id));
    },
  }),

  endpoint({
    method: "post",
    path: "/kernelbench/entries/{id}/resume",
    summary: "Resume an entry: evaluate its waiting kernels, and those with infrastructure errors again",
    scope: "submit",
    params: Id,
    answers: { 200: { description: "The updated entry", schema: KernelBenchEntrySummary } },
    async handle({ c, services, identity, params }) {
      return c.json(await resumeEntry(services.database, identity, params.id));
    },
  }),

  endpoint({
    method: "post",
    path: "/kernelbench/entries/{id}/publish",
    summary: "Publish an entry with its kernels",
    scope: "submit",
    params: Id,
    answers: { 200: { description: "The updated entry", schema: KernelBenchEntrySummary } },
    async handle({ c, services, identity, params }) {
      return c.json(await publishEntry(services.database, identity, params.id));
    },
  }),

  progressEndpoint,
];
