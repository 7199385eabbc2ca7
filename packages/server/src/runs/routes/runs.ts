import { api } from "@kernelbot/api";
import { KernelBotError } from "@kernelbot/core";
import { requireScope } from "../../auth/identity.ts";
import { readRun } from "../../submissions/views.ts";
import { identify, viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { isOwn, publicRun } from "../../submissions/routes/submissions.ts";

export const runEndpoints = [
  endpoint(api.runs.get, async ({ c, services, params }) => {
    const viewer = await viewerOf(c, services);
    const run = await readRun(services.database, params.id);
    const found = run === null ? null : await services.reads.visibleSubmission(viewer, run.submissionId);
    if (run === null || found === null) {
      if (viewer === undefined) requireScope(await identify(c, services), "read");
      throw new KernelBotError("not_found", `run ${params.id} not found`);
    }
    const visibleRun = isOwn(found.submission, viewer) ? run : publicRun(run);
    return c.json(visibleRun, 200, { "cache-control": "private, no-store" });
  }),
];
