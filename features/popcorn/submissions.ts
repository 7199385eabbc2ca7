/** Routes of the popcorn client for the caller's own submissions (read, list, delete) and for joining a competition. */
import { ClaimInviteRequest, KernelBotError } from "@kernelbot/core";
import { readCompetition } from "@kernelbot/server/src/competitions/competitions.ts";
import { claimInvite } from "@kernelbot/server/src/competitions/invites.ts";
import { removeOwn } from "@kernelbot/server/src/moderation/remove.ts";
import { listSubmissions } from "@kernelbot/server/src/submissions/views.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import type { Services } from "@kernelbot/server/src/services.ts";
import type { TaggedSubmission } from "@kernelbot/server/src/live/routes/shared-reads.ts";
import { readJson } from "@kernelbot/server/src/http/input.ts";
import { findWholeSubmission } from "@kernelbot/server/src/submissions/routes/submissions.ts";
import { boardNamed } from "./boards.ts";
import { queryNumber, submissionId } from "./input.ts";
import type { PopcornCall } from "./route.ts";
import { popcornSubmission } from "./submission.ts";

/** Handles `GET /user/submissions/{id}`. */
export async function showSubmission({ c, services, identity }: PopcornCall): Promise<Response> {
  const found = await present(services, identity, submissionId(c));
  return c.json(await popcornSubmission(services, found.submission));
}

/** Handles `DELETE /user/submissions/{id}`: removes the submission from its boards; it still counts toward limits. */
export async function deleteSubmission({ c, services, identity }: PopcornCall): Promise<Response> {
  const id = submissionId(c);
  await present(services, identity, id);
  await removeOwn(services.database, identity, id);
  return c.json({ status: "ok", submission_id: id });
}

/**
 * Returns a submission that is not removed.
 * @throws KernelBotError `not_found`, also for a removed one, which does not exist for this client.
 */
async function present(services: Services, identity: Identity, id: number): Promise<TaggedSubmission> {
  const found = await findWholeSubmission(services, identity, id);
  if (found === null || found.submission.removed !== null) {
    throw new KernelBotError("not_found", "Submission not found");
  }
  return found;
}

/** Handles `POST /user/join`. */
export async function join({ c, services, identity }: PopcornCall): Promise<Response> {
  const { code } = await readJson(c, ClaimInviteRequest);
  const { competitions } = await claimInvite(services.database, identity, code);
  const found = await Promise.all(competitions.map((name) => readCompetition(services.database, identity, name)));
  return c.json({ status: "ok", leaderboards: found.flatMap((each) => each?.problems.map(({ name }) => name) ?? []) });
}

/** Handles `GET /user/submissions?leaderboard=&limit=&offset=`; newest first. */
export async function listOwn({ c, services, identity }: PopcornCall): Promise<Response> {
  const limit = queryNumber(c, "limit", { least: 1, most: 100, usually: 50 });
  const offset = queryNumber(c, "offset", { least: 0, most: 10_000, usually: 0 });
  const boardName = c.req.query("leaderboard");
  const board = boardName === undefined ? undefined : (await boardNamed(services.database, identity, boardName)).name;
  const page = { board, limit: limit + offset, isPresent: true };
  const submissions = (await listSubmissions(services.database, identity, page)).slice(offset);
  return c.json(
    submissions.map(({ id, board, fileName, createdAt, runs }) => ({
      id,
      leaderboard_name: board,
      file_name: fileName,
      submission_time: createdAt,
      done: runs.every(({ state }) => state === "done" || state === "cancelled"),
      runs: runs.map(({ target, score }) => ({
        gpu_type: target,
        score: score === null ? null : score.timeNs.value / 1e9,
      })),
    })),
  );
}
