import { KernelBotError, RunDetail } from "@kernelbot/core";
import { readRun } from "../runs/views.ts";
import { endpoint, Id } from "./endpoint.ts";
import { visible } from "./submissions.ts";

export const runEndpoints = [
  endpoint({
    method: "get",
    path: "/runs/{id}",
    summary: "A run whole: stages, cases, samples, output and machine",
    scope: "read",
    params: Id,
    answers: { 200: { description: "As it stands now", schema: RunDetail } },
    async handle({ c, faces, identity, params }) {
      const run = await readRun(faces.database, params.id);
      if (run === null || (await visible(faces, identity, run.submissionId)) === null) {
        throw new KernelBotError("not_found", `there is no run ${params.id}`);
      }
      return c.json(run, 200, { "cache-control": "private, no-store" });
    },
  }),
];
