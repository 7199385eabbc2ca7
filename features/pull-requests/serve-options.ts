import type { FeatureOptionDefinitions } from "@kernelbot/server/src/feature-options.ts";
import { z } from "zod";
import { readPullRequestOptions, type PullRequestOptions } from "./options.ts";

declare module "@kernelbot/server/src/feature-options.ts" {
  interface FeatureOptions {
    /** The GitHub App that evaluates pull requests; undefined where none is configured. */
    pullRequests: PullRequestOptions | undefined;
  }
}

export const pullRequests: FeatureOptionDefinitions = {
  feature: "pull-requests",
  variables: {
    "KernelBench pull requests": {
      KERNELBOT_GITHUB_APP_ID: { help: "number of the GitHub App" },
      KERNELBOT_GITHUB_APP_KEY: { help: "file of its private key, in PEM" },
      KERNELBOT_GITHUB_APP_WEBHOOK_SECRET: { help: "secret of its webhook, 16 characters or more" },
      KERNELBOT_GITHUB_APP_REPOSITORIES: { help: "repositories that are served, as OWNER/NAME, separated by commas" },
      KERNELBOT_GITHUB_APP_SUITE: { help: "suite against which files are checked and evaluated" },
      KERNELBOT_GITHUB_APP_TARGET: { help: "target, such as H100" },
      KERNELBOT_GITHUB_APP_COMPILED_BASELINE: {
        default: "yes",
        help: "whether `torch.compile` of each model is timed in the same session: yes or no",
      },
      KERNELBOT_GITHUB_APP_ACCOUNT: { default: "operator", help: "account that owns the entries" },
      KERNELBOT_GITHUB_APP_API_URL: {
        default: "https://api.github.com",
        help: "address of the API of GitHub Enterprise",
      },
    },
  },
  shape: { pullRequests: z.custom<PullRequestOptions | undefined>() },
  read: (env) => ({ pullRequests: readPullRequestOptions(env) }),
  publicUrlFor: (options) =>
    options.pullRequests && "a GitHub App: the public URL, to which comments on pull requests link",
};
