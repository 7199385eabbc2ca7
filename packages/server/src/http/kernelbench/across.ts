/** API endpoints that compare entries across a suite's problems. */
import { Matrix, SuiteKey, SuiteName, SuiteProblemAcross, TargetName } from "@kernelbot/core";
import { z } from "zod";
import { readMatrix } from "../../kernelbench/matrix.ts";
import { readSuiteProblem } from "../../kernelbench/problem.ts";
import { viewerOf } from "../auth.ts";
import { endpoint } from "../endpoint.ts";
import { answerTagged } from "../etag.ts";
import { wholeNumber } from "../input.ts";
import { AgainstBaseline } from "./entries.ts";

export const acrossEndpoints = [
  endpoint({
    method: "get",
    path: "/kernelbench/problems/{suite}/{level}/{problem}",
    summary: "A problem of a suite, and what each entry has for it",
    scope: null,
    params: z.object({ suite: SuiteName, level: wholeNumber(1, 3), problem: wholeNumber(1, 999) }),
    query: AgainstBaseline.extend({ target: TargetName.optional() }),
    answers: { 200: { description: "The entries that the caller lists", schema: SuiteProblemAcross } },
    async handle({ c, faces, params: { suite, ...key }, query }) {
      const viewer = await viewerOf(c, faces);
      return answerTagged(c, await readSuiteProblem(faces.database, viewer, suite, SuiteKey.parse(key), query));
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/matrix",
    summary: "How each entry came out on each problem of a suite",
    scope: null,
    query: AgainstBaseline.extend({ suite: SuiteName, target: TargetName }),
    answers: { 200: { description: "The entries that the caller lists", schema: Matrix } },
    async handle({ c, faces, query }) {
      const viewer = await viewerOf(c, faces);
      const found = await readMatrix(faces.database, viewer, query.suite, query.target, query.baseline);
      const { suite, entries, results } = found;
      const rows = entries.map((entry) => ({ entry, results: results.get(entry.id) ?? [] }));
      return answerTagged(c, { suite, rows } satisfies Matrix);
    },
  }),
];
