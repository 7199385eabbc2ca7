/**
 * The routes of the popcorn command-line client, so that it works against this server unchanged. Its `cli_id` is a
 * KernelBot token. Shapes and status codes are the client's; the behaviour is that of /api/v1.
 */
import type { Hono } from "hono";
import type { Services, HttpEnv } from "../../services.ts";
import { adminRoutes } from "./admin.ts";
import { entries, entryCount, gpus, leaderboards, queueOf } from "./boards.ts";
import { howToLink } from "./caller.ts";
import { requireQuery } from "./input.ts";
import type { PopcornRoute } from "./route.ts";
import { deleteSubmission, join, listOwn, showSubmission } from "./submissions.ts";
import { followProfile, followSubmission, queueSubmission } from "./submit.ts";

export const POPCORN_ROUTES: readonly PopcornRoute[] = [
  ["GET", "/health", (c) => c.json({ status: "ok" })],
  // The client prints this text unchanged. A token would make it open the sign-in page of another server.
  ["GET", "/auth/init", (c, services) => c.text(`${howToLink(c, services)}\n`, 400), ["provider"]],
  ["GET", "/leaderboards", leaderboards],
  ["GET", "/gpus/:leaderboard", gpus],
  ["GET", "/runner_queue/:gpu", queueOf],
  ["GET", "/submissions/:leaderboard/:gpu", entries, ["limit", "offset"]],
  ["GET", "/submission_count/:leaderboard/:gpu", entryCount, ["user_id"]],
  ["GET", "/user/submissions", listOwn, ["leaderboard", "limit", "offset"]],
  ["GET", "/user/submissions/:id", showSubmission],
  ["DELETE", "/user/submissions/:id", deleteSubmission],
  ["POST", "/user/join", join],
  ["POST", "/submission/:leaderboard/:gpu/:mode", queueSubmission],
  ["POST", "/profile/:leaderboard/:gpu", followProfile],
  ...adminRoutes,
  // Last, because it matches any three path segments.
  ["POST", "/:leaderboard/:gpu/:mode", followSubmission],
];

export function mountPopcorn(app: Hono<HttpEnv>, services: Services): void {
  for (const [method, path, handle, query = []] of POPCORN_ROUTES) {
    app.on(method, path, (c) => {
      requireQuery(c, query);
      return handle(c, services);
    });
  }
}
