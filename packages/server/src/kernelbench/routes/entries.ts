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
import { EntryRefused } from "../refusal.ts";
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
    "eager, compiled or stored:ID, which must be of the entry's hardware (else 422); eager unless given",
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
  throw new KernelBotError("bad_request", `The body is not JSON that can be read: ${where}, ${place.what}.`);
}

export const entryEndpoints = [
  endpoint({
    method: "post",
    path: "/kernelbench/entries",
    summary: "Hand in the kernels of a model for a suite, and evaluate them",
    scope: "submit",
    headers: z.object({
      "idempotency-key": z.string().optional().describe("Sent again with the same key, it is the same entry"),
    }),
    body: Unchecked,
    readBody: readUnchecked,
    answers: {
      201: {
        description: "It is stored as a draft, and is evaluated",
        schema: KernelBenchEntrySummary,
        headers: { Location: "Its address" },
      },
      200: {
        description: "It was, under this key",
        schema: KernelBenchEntrySummary,
        headers: { Location: "Its address" },
      },
      422: { description: "All that is wrong with its file", schema: KernelBenchEntryRejection },
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
    summary: "The entries that are published, and with a token those of its account",
    scope: null,
    query: OfSuite.extend({ mine: z.stringbool().default(false).describe("One's own alone") }),
    answers: { 200: { description: "By correct rate, then Fast@1, then GeoMean", schema: KernelBenchEntryList } },
    async handle({ c, services, query: { mine, ...asked } }) {
      const viewer = await viewerOf(c, services);
      const entries = await listEntries(services.database, viewer, asked);
      return c.json({ entries: entries.filter(({ account }) => !mine || account.id === viewer?.account.id) });
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/entries/{id}",
    summary: "An entry: its figures, and how each of its kernels came out",
    scope: null,
    params: Id,
    query: AgainstBaseline,
    answers: {
      200: { description: "As it stands now", schema: KernelBenchEntry, headers: { ETag: "Changes with it" } },
      304: { description: "It is as it was under the tag in If-None-Match" },
    },
    async handle({ c, services, params, query }) {
      const viewer = await viewerOf(c, services);
      return answerTagged(c, await readEntry(services.database, viewer, params.id, query.baseline));
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/entries/{id}/file",
    summary: "The submission file of an entry, as it can be handed in again",
    scope: null,
    params: Id,
    answers: { 200: { description: "Its metadata and its kernels by key", schema: KernelBenchEntryFile } },
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
    summary: "Take back the kernels of an entry that have not been judged",
    scope: "submit",
    params: Id,
    answers: { 200: { description: "The entry after it", schema: KernelBenchEntrySummary } },
    async handle({ c, services, identity, params }) {
      return c.json(await stopEntry(services.database, identity, params.id));
    },
  }),

  endpoint({
    method: "post",
    path: "/kernelbench/entries/{id}/resume",
    summary: "Ask again for the kernels of an entry that wait, or were lost to the infrastructure",
    scope: "submit",
    params: Id,
    answers: { 200: { description: "The entry after it", schema: KernelBenchEntrySummary } },
    async handle({ c, services, identity, params }) {
      return c.json(await resumeEntry(services.database, identity, params.id));
    },
  }),

  endpoint({
    method: "post",
    path: "/kernelbench/entries/{id}/publish",
    summary: "Show an entry to everybody, with its kernels",
    scope: "submit",
    params: Id,
    answers: { 200: { description: "The entry after it", schema: KernelBenchEntrySummary } },
    async handle({ c, services, identity, params }) {
      return c.json(await publishEntry(services.database, identity, params.id));
    },
  }),

  progressEndpoint,
];
