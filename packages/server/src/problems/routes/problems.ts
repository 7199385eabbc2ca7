import { ClosedProblem, ProblemDetail, ProblemList, ProblemName, SyncReport, SyncRequest } from "@kernelbot/core";
import { z } from "zod";
import { noProblem } from "../../auth/visibility.ts";
import { closeProblem } from "../close.ts";
import { readProblemDetail } from "../../boards/problem.ts";
import { listProblems } from "../problems.ts";
import { syncRequested } from "../request.ts";
import { viewerOf } from "../../http/identify.ts";
import { OfCompetition } from "../../boards/routes/boards.ts";
import { endpoint } from "../../http/endpoint.ts";

/** Filter of the problem list; also used by the page. */
export const ProblemsAsked = OfCompetition.extend({
  search: z
    .string()
    .max(200, "search for at most 200 characters")
    .optional()
    .describe("Words that all stand in the name, the description, the set or the competition"),
});

export const problemEndpoints = [
  endpoint({
    method: "get",
    path: "/problems",
    summary: "The problems and their targets: the public ones, and with a token those of its account",
    scope: null,
    query: ProblemsAsked,
    answers: { 200: { description: "In the order of their names", schema: ProblemList } },
    async handle({ c, services, query }) {
      const problems = await listProblems(services.database, await viewerOf(c, services), query);
      return c.json<z.infer<typeof ProblemList>>({
        problems: problems.map(({ name, targets, version, competition }) => ({ name, targets, version, competition })),
      });
    },
  }),

  endpoint({
    method: "get",
    path: "/problems/{name}",
    summary: "A problem: description, cases, targets, templates, public files, boards and dates",
    scope: null,
    params: z.object({ name: ProblemName }),
    answers: { 200: { description: "In its newest version", schema: ProblemDetail } },
    async handle({ c, services, params }) {
      const found = await readProblemDetail(services.database, await viewerOf(c, services), params.name);
      if (found === null) throw noProblem(params.name);
      return c.json<ProblemDetail>(found);
    },
  }),

  endpoint({
    method: "post",
    path: "/problems/sync",
    summary: "Take the problems of a tree of files, or say what that would change",
    scope: "admin",
    role: "organiser",
    body: SyncRequest,
    answers: { 200: { description: "What came of each problem, or would", schema: SyncReport } },
    async handle({ c, services, identity, body }) {
      return c.json<SyncReport>(await syncRequested(services.database, identity, body));
    },
  }),

  endpoint({
    method: "post",
    path: "/problems/{name}/close",
    summary: "Close a problem for good: no more ranked submissions, and receipts carry the seeds",
    scope: "admin",
    role: "organiser",
    params: z.object({ name: ProblemName }),
    answers: { 200: { description: "It is closed, perhaps since long ago", schema: ClosedProblem } },
    async handle({ c, services, identity, params }) {
      return c.json(await closeProblem(services.database, identity, params.name));
    },
  }),
];
