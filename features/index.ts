/**
 * The optional features of the server. Each is one folder: `npm run check:unplug NAME` proves that all else works without
 * the folder and its line here. An operator switches one off by `kernelbot-server serve --without NAME`.
 */
import type { Feature } from "@kernelbot/server/src/feature.ts";
import { adopt } from "./adopt/feature.ts";
import { courses } from "./courses/feature.ts";
import { kernelgym } from "./kernelgym/feature.ts";
import { liveScreen } from "./live-screen/feature.ts";
import { lti } from "./lti/feature.ts";
import { openenv } from "./openenv/feature.ts";
import { popcorn } from "./popcorn/feature.ts";
import { pullRequests } from "./pull-requests/feature.ts";

/** In the order of their routes: the last one's path of three segments would also match some of the others. */
export const OPTIONAL_FEATURES: readonly Feature[] = [
  courses,
  lti,
  adopt,
  openenv,
  kernelgym,
  liveScreen,
  pullRequests,
  popcorn,
];
