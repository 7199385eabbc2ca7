import { api } from "@kernelbot/api";
import { KernelBotError, RunDetail } from "@kernelbot/core";
import { requireScope } from "../../auth/identity.ts";
import { readRun } from "../../submissions/views.ts";
import { identify, viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { isOwn, findVisibleSubmission } from "../../submissions/routes/submissions.ts";

export const runEndpoints = [
  endpoint(api.runs.get, async ({ c, services, params }) => {
    const viewer = await viewerOf(c, services);
    const run = await readRun(services.database, params.id);
    const found = run === null ? null : await findVisibleSubmission(services, viewer, run.submissionId);
    if (run === null || found === null) {
      if (viewer === undefined) requireScope(await identify(c, services), "read");
      throw new KernelBotError("not_found", `run ${params.id} not found`);
    }
    const visibleRun = isOwn(found.submission, viewer) ? run : outcomeOf(run);
    return c.json(visibleRun, 200, { "cache-control": "private, no-store" });
  }),
];

/**
 * Returns a run as other viewers see it: verdict, cases and times, but no output of its code and no messages, review or
 * artifacts.
 */
function outcomeOf(run: RunDetail): RunDetail {
  const stages = run.stages.map((stage) => ({
    ...stage,
    output: null,
    cases: stage.cases.map((each) => ({ ...each, message: null })),
  }));
  const machine = run.machine === null ? null : { ...run.machine, hostname: "" };
  return { ...run, stages, machine, message: null, detail: null, duel: null, review: [], artifacts: [] };
}
