/** One's own submissions: shown, listed, removed; and joining a competition. */
import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import { listSubmissions } from "../../runs/views.ts";
import type { Faces, HttpEnv } from "../faces.ts";
import { visible } from "../submissions.ts";
import { boardNamed } from "./boards.ts";
import { caller } from "./caller.ts";
import { queryNumber, submissionId } from "./input.ts";
import { popcornSubmission } from "./submission.ts";

/** `GET /user/submissions/{id}`. */
export async function showSubmission(c: Context<HttpEnv>, faces: Faces): Promise<Response> {
  const identity = await caller(c, faces, "read");
  const found = await visible(faces, identity, submissionId(c));
  if (found === null) throw new KernelBotError("not_found", "Submission not found");
  return c.json(await popcornSubmission(faces, found.submission));
}

/** `GET /user/submissions?leaderboard=&limit=&offset=`: newest first. */
export async function listOwn(c: Context<HttpEnv>, faces: Faces): Promise<Response> {
  const identity = await caller(c, faces, "read");
  const limit = queryNumber(c, "limit", { least: 1, most: 100, usually: 50 });
  const offset = queryNumber(c, "offset", { least: 0, most: 10_000, usually: 0 });
  const asked = c.req.query("leaderboard");
  const board = asked === undefined ? undefined : (await boardNamed(faces.database, asked)).name;
  const page = { board, limit: limit + offset };
  const submissions = (await listSubmissions(faces.database, identity.account.id, page)).slice(offset);
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
