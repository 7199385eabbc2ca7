/**
 * The routes of the popcorn command-line client, so that it works against this server unchanged. Its `cli_id` is a
 * KernelBot token. Shapes and status codes are the client's; the behaviour is that of /api/v1.
 */
import type { PageRoute } from "@kernelbot/server/src/http/page.ts";
import { adminRoutes } from "./admin.ts";
import { entries, entryCount, gpus, leaderboards, queueOf } from "./boards.ts";
import { howToLink } from "./caller.ts";
import { popcornRoute } from "./route.ts";
import { deleteSubmission, join, listOwn, showSubmission } from "./submissions.ts";
import { followProfile, followSubmission, queueSubmission } from "./submit.ts";

export const POPCORN_ROUTES: readonly PageRoute[] = [
  popcornRoute("get", "/health", "anyone", ({ c }) => c.json({ status: "ok" })),
  // The client prints this text unchanged. A token would make it open the sign-in page of another server.
  popcornRoute("get", "/auth/init", "anyone", ({ c, services }) => c.text(`${howToLink(c, services)}\n`, 400), [
    "provider",
  ]),
  popcornRoute("get", "/leaderboards", "viewer", leaderboards),
  popcornRoute("get", "/gpus/:leaderboard", "viewer", gpus),
  popcornRoute("get", "/runner_queue/:gpu", "anyone", queueOf),
  popcornRoute("get", "/submissions/:leaderboard/:gpu", "viewer", entries, ["limit", "offset"]),
  popcornRoute("get", "/submission_count/:leaderboard/:gpu", "viewer", entryCount, ["user_id"]),
  popcornRoute("get", "/user/submissions", "read", listOwn, ["leaderboard", "limit", "offset"]),
  popcornRoute("get", "/user/submissions/:id", "read", showSubmission),
  popcornRoute("delete", "/user/submissions/:id", "submit", deleteSubmission),
  popcornRoute("post", "/user/join", "submit", join),
  popcornRoute("post", "/submission/:leaderboard/:gpu/:mode", "submit", queueSubmission),
  popcornRoute("post", "/profile/:leaderboard/:gpu", "submit", followProfile),
  ...adminRoutes,
  // Last, because it matches any three path segments.
  popcornRoute("post", "/:leaderboard/:gpu/:mode", "submit", followSubmission),
];
