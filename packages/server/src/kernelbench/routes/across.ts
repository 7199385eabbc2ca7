/** API endpoints that compare entries across a suite's problems. */
import { SuiteResultMatrix, SuiteKey, SuiteName, SuiteProblemResults, TargetName } from "@kernelbot/core";
import { z } from "zod";
import { readMatrix } from "../matrix.ts";
import { readSuiteProblem } from "../problem.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { answerTagged } from "../../http/etag.ts";
import { wholeNumber } from "../../http/input.ts";
import { AgainstBaseline } from "./entries.ts";

export const acrossEndpoints = [
  endpoint({
    method: "get",
    path: "/kernelbench/problems/{suite}/{level}/{problem}",
    summary: "Get a problem of a suite with the results of each entry",
    scope: null,
    params: z.object({ suite: SuiteName, level: wholeNumber(1, 3), problem: wholeNumber(1, 999) }),
    query: AgainstBaseline.extend({ target: TargetName.optional() }),
    answers: { 200: { description: "Results of the entries that the caller may list", schema: SuiteProblemResults } },
    async handle({ c, services, params: { suite, ...key }, query }) {
      const viewer = await viewerOf(c, services);
      return answerTagged(c, await readSuiteProblem(services.database, viewer, suite, SuiteKey.parse(key), query));
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/matrix",
    summary: "Get the results of each entry for each problem of a suite",
    scope: null,
    query: AgainstBaseline.extend({ suite: SuiteName, target: TargetName }),
    answers: { 200: { description: "Results of the entries that the caller may list", schema: SuiteResultMatrix } },
    async handle({ c, services, query }) {
      const viewer = await viewerOf(c, services);
      const found = await readMatrix(services.database, viewer, query.suite, query.target, query.baseline);
      const { suite, entries, results } = found;
      const rows = entries.map((entry) => ({ entry, results: results.get(entry.id) ?? [] }));
      return answerTagged(c, { suite, rows } satisfies SuiteResultMatrix);
    },
  }),
];
