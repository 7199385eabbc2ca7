import {
  BaselineId,
  BaselineList,
  BaselineText,
  BaselineUpload,
  EvalResults,
  KernelBenchEntry,
  KernelBenchEntryCheck,
  KernelBenchEntryFile,
  KernelBenchEntryList,
  KernelBenchEntryRejection,
  KernelBenchEntryRequest,
  KernelBenchEntrySummary,
  MetadataEntry,
  ResultsDocument,
  StoredBaseline,
  Suite,
  SuiteList,
  SuiteName,
  SuiteProblemResults,
  SuiteResultMatrix,
  SuiteUpload,
  TargetName,
} from "@kernelbot/core";
import { z } from "zod";
import { ENTRY_BODY, SUITE_BODY } from "./body-limits.ts";
import { ORGANISER, get, post } from "./contract.ts";
import { After, Id, LastEventId, wholeNumber } from "./parameters.ts";

/** Filter of a list of entries. */
const OfSuite = z.object({ suite: SuiteName.optional(), target: TargetName.optional() });

/** Baseline against which speedups are computed. */
const AgainstBaseline = z.object({
  baseline: BaselineText.optional().describe(
    "eager (default), compiled or stored:ID; a stored baseline must have the entry's hardware (otherwise 422)",
  ),
});

/**
 * Request whose file is not validated yet: `checkEntry` reports every fault of the file, a schema only the first few.
 */
const Unchecked = KernelBenchEntryRequest.extend({ file: z.union([KernelBenchEntryFile, z.unknown()]) });

export const kernelbench = {
  suites: get("/kernelbench/suites", {
    summary: "List KernelBench suites",
    scope: null,
    answers: { 200: { description: "Newest version of each suite, ordered by name", schema: SuiteList } },
  }),

  suite: get("/kernelbench/suites/{suite}", {
    summary: "Get a suite with its problems",
    scope: null,
    params: z.object({ suite: SuiteName }),
    query: z.object({
      version: z
        .string()
        .regex(/^[0-9a-f]{64}$/, "use 64 hexadecimal digits")
        .optional()
        .describe("Version (default: the newest)"),
    }),
    answers: { 200: { description: "One version of the suite, with its problems in order", schema: Suite } },
  }),

  putSuite: post("/kernelbench/suites", {
    summary: "Create or update a suite from an inspected checkout",
    ...ORGANISER,
    body: SuiteUpload,
    bodyLimit: SUITE_BODY,
    isIdempotent: true,
    answers: { 200: { description: "The suite; its version is unchanged if the content is", schema: Suite } },
  }),

  validate: post("/kernelbench/validate", {
    summary: "Check a submission file without storing it; the body is the file itself",
    scope: null,
    query: z.object({ suite: SuiteName }),
    byteBody: ["application/json"],
    bodyLimit: ENTRY_BODY,
    isIdempotent: true,
    answers: {
      200: {
        description: "All faults of the file, and its number of kernels per level",
        schema: KernelBenchEntryCheck,
      },
    },
  }),

  createEntry: post("/kernelbench/entries", {
    summary: "Submit a KernelBench entry",
    scope: "submit",
    headers: z.object({
      "idempotency-key": z.string().optional().describe("A repeated request with the same key returns the first entry"),
    }),
    body: Unchecked,
    bodyLimit: ENTRY_BODY,
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
  }),

  entries: get("/kernelbench/entries", {
    summary: "List published entries and the caller's own",
    scope: null,
    query: OfSuite.extend({ mine: z.stringbool().default(false).describe("Only the caller's own entries") }),
    answers: {
      200: {
        description: "Entries, ordered by correct rate, then Fast@1, then geometric mean speedup",
        schema: KernelBenchEntryList,
      },
    },
  }),

  entry: get("/kernelbench/entries/{id}", {
    summary: "Get an entry with its scores and kernel results",
    scope: null,
    params: Id,
    query: AgainstBaseline,
    answers: {
      200: { description: "The entry", schema: KernelBenchEntry, headers: { ETag: "Version of the response" } },
      304: { description: "Not modified since the ETag in If-None-Match" },
    },
  }),

  entryFile: get("/kernelbench/entries/{id}/file", {
    summary: "Get the submission file of an entry",
    scope: null,
    params: Id,
    answers: {
      200: { description: "Metadata, and kernels by key; removed kernels are omitted", schema: KernelBenchEntryFile },
    },
  }),

  events: get("/kernelbench/entries/{id}/events", {
    summary: "Stream the progress of an entry as server-sent events until all kernels are finished",
    scope: null,
    params: Id,
    query: After,
    headers: LastEventId,
    answers: {
      200: {
        description: "Events `progress` with a KernelBenchEntryProgress, at most one per second; a comment every 15 s",
        schema: z.string(),
        mediaType: "text/event-stream",
      },
    },
  }),

  stop: post("/kernelbench/entries/{id}/stop", {
    summary: "Stop the evaluation of an entry",
    scope: "submit",
    params: Id,
    isIdempotent: true,
    answers: { 200: { description: "The updated entry", schema: KernelBenchEntrySummary } },
  }),

  resume: post("/kernelbench/entries/{id}/resume", {
    summary: "Resume an entry: evaluate its waiting kernels, and those with infrastructure errors again",
    scope: "submit",
    params: Id,
    isIdempotent: true,
    answers: { 200: { description: "The updated entry", schema: KernelBenchEntrySummary } },
  }),

  publish: post("/kernelbench/entries/{id}/publish", {
    summary: "Publish an entry with its kernels",
    scope: "submit",
    params: Id,
    isIdempotent: true,
    answers: { 200: { description: "The updated entry", schema: KernelBenchEntrySummary } },
  }),

  results: get("/kernelbench/entries/{id}/results", {
    summary: "Export an entry in the format of results/{unique_id}.json",
    scope: null,
    params: Id,
    query: AgainstBaseline,
    answers: { 200: { description: "Results; times in milliseconds", schema: ResultsDocument } },
  }),

  evalResults: get("/kernelbench/entries/{id}/eval-results/{level}", {
    summary: "Export an entry's results for a level in the format of eval_results.json",
    scope: null,
    params: Id.extend({ level: wholeNumber(1, 3) }),
    answers: { 200: { description: "Judged results by problem number", schema: EvalResults } },
  }),

  metadata: get("/kernelbench/metadata", {
    summary: "Export published entries in the format of metadata.json",
    scope: null,
    query: OfSuite,
    answers: { 200: { description: "Entries, highest geometric mean speedup first", schema: z.array(MetadataEntry) } },
  }),

  problem: get("/kernelbench/problems/{suite}/{level}/{problem}", {
    summary: "Get a problem of a suite with the results of each entry",
    scope: null,
    params: z.object({ suite: SuiteName, level: wholeNumber(1, 3), problem: wholeNumber(1, 999) }),
    query: AgainstBaseline.extend({ target: TargetName.optional() }),
    answers: { 200: { description: "Results of the entries that the caller may list", schema: SuiteProblemResults } },
  }),

  matrix: get("/kernelbench/matrix", {
    summary: "Get the results of each entry for each problem of a suite",
    scope: null,
    query: AgainstBaseline.extend({ suite: SuiteName, target: TargetName }),
    answers: { 200: { description: "Results of the entries that the caller may list", schema: SuiteResultMatrix } },
  }),

  baselines: get("/kernelbench/baselines", {
    summary: "List stored baselines",
    scope: null,
    answers: { 200: { description: "Baselines, ordered by id", schema: BaselineList } },
  }),

  baseline: get("/kernelbench/baselines/{baseline}", {
    summary: "Get a stored baseline with its times",
    scope: null,
    params: z.object({ baseline: BaselineId }),
    answers: { 200: { description: "The baseline, with times ordered by problem", schema: StoredBaseline } },
  }),

  putBaseline: post("/kernelbench/baselines", {
    summary: "Store a baseline permanently",
    ...ORGANISER,
    body: BaselineUpload,
    answers: {
      200: { description: "Stored now or by an earlier identical request", schema: StoredBaseline },
      409: { description: "Another baseline has this id" },
    },
  }),
};
