import type { Feature } from "@kernelbot/server/src/feature.ts";
import { pullRequestEndpoints } from "./routes.ts";
import { startPullRequests } from "./service.ts";

/** KernelBench entries in pull requests: a GitHub App evaluates their files, and publishes them when they are merged. */
export const pullRequests: Feature = {
  name: "pull-requests",
  title: "Pull requests",
  otherTables: ["kernelbench_pull", "kernelbench_pull_delivery", "kernelbench_pull_entry"],
  endpoints: pullRequestEndpoints,
  async start({ database, options, patiently }) {
    const { pullRequests: app, publicUrl } = options;
    if (app === undefined || publicUrl === undefined) return {};
    return { stop: await patiently(() => startPullRequests(database, app, publicUrl)) };
  },
};
