/** What the optional features add to the showcase, which tests and screenshots view. */
import type { FeatureShowcase } from "@kernelbot/testing/showcase/example.ts";
import { coursesShowcase } from "./courses/testing/showcase.ts";
import { ltiShowcase } from "./lti/testing/showcase.ts";

/** Each follows those that it needs. */
export const SHOWCASES: readonly FeatureShowcase[] = [coursesShowcase, ltiShowcase];
