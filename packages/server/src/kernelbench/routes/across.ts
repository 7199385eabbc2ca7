/** API endpoints that compare entries across a suite's problems. */
import { api } from "@kernelbot/api";
import { SuiteResultMatrix, SuiteKey } from "@kernelbot/core";
import { readMatrix } from "../matrix.ts";
import { readSuiteProblem } from "../problem.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { respondWithETag } from "../../http/etag.ts";

export const acrossEndpoints = [
  endpoint(api.kernelbench.problem, async ({ c, services, params: { suite, ...key }, query }) => {
    const viewer = await viewerOf(c, services);
    return respondWithETag(c, await readSuiteProblem(services.database, viewer, suite, SuiteKey.parse(key), query));
  }),

  endpoint(api.kernelbench.matrix, async ({ c, services, query }) => {
    const viewer = await viewerOf(c, services);
    const found = await readMatrix(services.database, viewer, query.suite, query.target, query.baseline);
    const { suite, entries, results } = found;
    const rows = entries.map((entry) => ({ entry, results: results.get(entry.id) ?? [] }));
    return respondWithETag(c, { suite, rows } satisfies SuiteResultMatrix);
  }),
];
