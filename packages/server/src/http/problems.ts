import { ClosedProblem, KernelBotError, ProblemDetail, ProblemList, ProblemName, quote } from "@kernelbot/core";
import { z } from "zod";
import { closeProblem } from "../problems/close.ts";
import { listProblems, readProblem } from "../problems/problems.ts";
import { endpoint } from "./endpoint.ts";

export const problemEndpoints = [
  endpoint({
    method: "get",
    path: "/problems",
    summary: "All problems and their targets",
    scope: null,
    answers: { 200: { description: "In the order of their names", schema: ProblemList } },
    async handle({ c, faces }) {
      const problems = await listProblems(faces.database);
      return c.json<z.infer<typeof ProblemList>>({
        problems: problems.map(({ name, targets, version }) => ({ name, targets, version })),
      });
    },
  }),

  endpoint({
    method: "get",
    path: "/problems/{name}",
    summary: "A problem: description, cases, targets, templates and public files",
    scope: null,
    params: z.object({ name: ProblemName }),
    answers: { 200: { description: "In its newest version", schema: ProblemDetail } },
    async handle({ c, faces, params }) {
      const found = await readProblem(faces.database, params.name);
      if (found === null) throw new KernelBotError("not_found", `there is no problem ${quote(params.name)}`);
      return c.json<ProblemDetail>({ ...found.problem, version: found.version });
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
    async handle({ c, faces, identity, params }) {
      return c.json(await closeProblem(faces.database, identity, params.name));
    },
  }),
];
