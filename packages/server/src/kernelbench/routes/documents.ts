/** API endpoints that export entries in the formats of KernelBench tools. */
import {
  EvalResults,
  evalResults,
  Level,
  MetadataEntry,
  metadataDocument,
  ResultsDocument,
  resultsDocument,
} from "@kernelbot/core";
import { z } from "zod";
import { STRANGER } from "../../auth/visibility.ts";
import { readBaseline } from "../baselines.ts";
import { listEntries, readEntry } from "../entries.ts";
import { readSuite } from "../suites.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint, Id } from "../../http/endpoint.ts";
import { answerTagged } from "../../http/etag.ts";
import { wholeNumber } from "../../http/input.ts";
import { AgainstBaseline, OfSuite } from "./entries.ts";

export const documentEndpoints = [
  endpoint({
    method: "get",
    path: "/kernelbench/metadata",
    summary: "Export published entries in the format of metadata.json",
    scope: null,
    query: OfSuite,
    answers: { 200: { description: "Entries, highest geometric mean speedup first", schema: z.array(MetadataEntry) } },
    async handle({ c, services, query }) {
      return answerTagged(c, metadataDocument(await listEntries(services.database, STRANGER, query)));
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/entries/{id}/results",
    summary: "Export an entry in the format of results/{unique_id}.json",
    scope: null,
    params: Id,
    query: AgainstBaseline,
    answers: { 200: { description: "Results; times in milliseconds", schema: ResultsDocument } },
    async handle({ c, services, params, query: { baseline } }) {
      const { database } = services;
      const entry = await readEntry(database, await viewerOf(c, services), params.id, baseline);
      const suite = await readSuite(database, entry.suite, entry.suiteVersion);
      const stored = baseline?.kind === "stored" ? (await readBaseline(database, baseline.id)).times : [];
      return answerTagged(c, resultsDocument(entry, suite, stored));
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/entries/{id}/eval-results/{level}",
    summary: "Export an entry's results for a level in the format of eval_results.json",
    scope: null,
    params: Id.extend({ level: wholeNumber(1, 3) }),
    answers: { 200: { description: "Judged results by problem number", schema: EvalResults } },
    async handle({ c, services, params }) {
      const entry = await readEntry(services.database, await viewerOf(c, services), params.id);
      return answerTagged(c, evalResults(entry, Level.parse(params.level)));
    },
  }),
];
