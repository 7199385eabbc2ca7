/**
 * The optional features with options of `kernelbot-server serve`. A list of its own, so that `kernelbot-server --help` and
 * the other commands load no routes, which takes most of a second.
 */
import type { FeatureOptionDefinitions } from "@kernelbot/server/src/feature-options.ts";
import { openenv } from "./openenv/serve-options.ts";
import { pullRequests } from "./pull-requests/serve-options.ts";

export const FEATURE_OPTIONS: readonly FeatureOptionDefinitions[] = [openenv, pullRequests];
