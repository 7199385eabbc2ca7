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
    summary: "The published entries in the shape of metadata.json",
    scope: null,
    query: OfSuite,
    answers: { 200: { description: "The highest GeoMean first", schema: z.array(MetadataEntry) } },
    async handle({ c, services, query }) {
      return answerTagged(c, metadataDocument(await listEntries(services.database, STRANGER, query)));
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/entries/{id}/results",
    summary: "An entry in the shape of results/{unique_id}.json",
    scope: null,
    params: Id,
    query: AgainstBaseline,
    answers: { 200: { description: "As it stands now; times in milliseconds", schema: ResultsDocument } },
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
    summary: "What an entry gave on the problems of a level, in the shape of eval_results.json",
    scope: null,
    params: Id.extend({ level: wholeNumber(1, 3) }),
    answers: { 200: { description: "What was judged, by the numbers of the problems", schema: EvalResults } },
    async handle({ c, services, params }) {
      const entry = await readEntry(services.database, await viewerOf(c, services), params.id);
      return answerTagged(c, evalResults(entry, Level.parse(params.level)));
    },
  }),
];
