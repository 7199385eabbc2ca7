import { KernelBotError, RunDetail } from "@kernelbot/core";
import { readRun } from "../runs/views.ts";
import { endpoint, Id } from "./endpoint.ts";
import { owned } from "./submissions.ts";

function noRun(id: number): KernelBotError {
  return new KernelBotError("not_found", `there is no run ${id}`);
}

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
      if (run === null) throw noRun(params.id);
      await owned(faces, identity, run.submissionId, noRun(params.id));
      return c.json(run, 200, { "cache-control": "private, no-store" });
    },
  }),
];
