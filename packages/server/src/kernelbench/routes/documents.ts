/** API endpoints that export entries in the formats of KernelBench tools. */
import { api } from "@kernelbot/api";
import { evalResults, Level, metadataDocument, resultsDocument } from "@kernelbot/core";
import { STRANGER } from "../../auth/visibility.ts";
import { readBaseline } from "../baselines.ts";
import { listEntries, readEntry } from "../entries.ts";
import { readSuite } from "../suites.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { respondWithETag } from "../../http/etag.ts";

export const documentEndpoints = [
  endpoint(api.kernelbench.metadata, async ({ c, services, query }) => {
    return respondWithETag(c, metadataDocument(await listEntries(services.database, STRANGER, query)));
  }),

  endpoint(api.kernelbench.results, async ({ c, services, params, query: { baseline } }) => {
    const { database } = services;
    const entry = await readEntry(database, await viewerOf(c, services), params.id, baseline);
    const suite = await readSuite(database, entry.suite, entry.suiteVersion);
    const stored = baseline?.kind === "stored" ? (await readBaseline(database, baseline.id)).times : [];
    return respondWithETag(c, resultsDocument(entry, suite, stored));
  }),

  endpoint(api.kernelbench.evalResults, async ({ c, services, params }) => {
    const entry = await readEntry(services.database, await viewerOf(c, services), params.id);
    return respondWithETag(c, evalResults(entry, Level.parse(params.level)));
  }),
];
