import {
  ClosedProblem,
  Difficulty,
  ProblemDetail,
  ProblemLimits,
  ProblemList,
  ProblemName,
  ProblemTag,
  SyncReport,
  SyncRequest,
} from "@kernelbot/core";
import { z } from "zod";
import { PROBLEMS_BODY } from "./body-limits.ts";
import { ORGANISER, get, post } from "./contract.ts";
import { OfCompetition } from "./parameters.ts";

const ProblemsAsked = OfCompetition.extend({
  search: z
    .string()
    .max(200, "search for at most 200 characters")
    .optional()
    .describe("Words that all occur in the name, the description, the set or the competition"),
  tag: ProblemTag.optional().describe("Only problems with this tag"),
  difficulty: Difficulty.optional().describe("Only problems of this difficulty"),
});

export const problems = {
  list: get("/problems", {
    summary: "List problems and their targets: public ones, and with a token those visible to its account",
    scope: null,
    query: ProblemsAsked,
    answers: { 200: { description: "Problems by name", schema: ProblemList } },
  }),

  get: get("/problems/{name}", {
    summary: "Get a problem: description, cases, targets, templates, public files, boards and dates",
    scope: null,
    params: z.object({ name: ProblemName }),
    answers: { 200: { description: "Latest version of the problem", schema: ProblemDetail } },
  }),

  sync: post("/problems/sync", {
    summary: "Import the problems of a file tree, or preview the changes",
    ...ORGANISER,
    body: SyncRequest,
    bodyLimit: PROBLEMS_BODY,
    isIdempotent: true,
    answers: { 200: { description: "Outcome for each problem", schema: SyncReport } },
  }),

  close: post("/problems/{name}/close", {
    summary: "Close a problem permanently: no further ranked submissions, and receipts include the seeds",
    ...ORGANISER,
    params: z.object({ name: ProblemName }),
    isIdempotent: true,
    answers: { 200: { description: "Closed, now or earlier", schema: ClosedProblem } },
  }),

  limits: get("/problems/{name}/limits", {
    summary: "Get a problem's submission limits; with a token, also the account's usage",
    scope: null,
    params: z.object({ name: z.string() }),
    answers: { 200: { description: "Limits by mode; modes that are not listed have none", schema: ProblemLimits } },
  }),
};
