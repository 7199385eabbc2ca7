/**
 * The optional features with commands of `kernelbot`. A list of its own, so that the command line contains no code of
 * the server.
 */
import type { FeatureCommands } from "@kernelbot/cli/src/command/features.ts";
import { courses } from "./courses/cli.ts";
import { flashinferTrace } from "./flashinfer-trace/cli.ts";
import { harbor } from "./harbor/cli.ts";
import { kernelHub } from "./kernel-hub/cli.ts";
import { lti } from "./lti/cli.ts";
import { popcorn } from "./popcorn/cli.ts";
import { problemGenerator } from "./problem-generator/cli.ts";

/** In the order of their commands in a group. */
export const FEATURE_COMMANDS: readonly FeatureCommands[] = [
  problemGenerator,
  flashinferTrace,
  harbor,
  kernelHub,
  courses,
  lti,
  popcorn,
];
