import { api } from "@kernelbot/api";
import { ProblemDetail, ProblemList, SyncReport } from "@kernelbot/core";
import { z } from "zod";
import { noProblem } from "../../auth/visibility.ts";
import { closeProblem } from "../close.ts";
import { readProblemDetail } from "../../boards/problem.ts";
import { listProblems } from "../problems.ts";
import { syncRequested } from "../request.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";

export const problemEndpoints = [
  endpoint(api.problems.list, async ({ c, services, query }) => {
    const problems = await listProblems(services.database, await viewerOf(c, services), query);
    return c.json<z.infer<typeof ProblemList>>({
      problems: problems.map(({ name, targets, version, competition, tags, difficulty }) => ({
        ...{ name, targets, version, competition, tags, difficulty },
      })),
    });
  }),

  endpoint(api.problems.get, async ({ c, services, params }) => {
    const found = await readProblemDetail(services.database, await viewerOf(c, services), params.name);
    if (found === null) throw noProblem(params.name);
    return c.json<ProblemDetail>(found);
  }),

  endpoint(api.problems.sync, async ({ c, services, identity, body }) => {
    return c.json<SyncReport>(await syncRequested(services.database, identity, body));
  }),

  endpoint(api.problems.close, async ({ c, services, identity, params }) => {
    return c.json(await closeProblem(services.database, identity, params.name));
  }),
];
