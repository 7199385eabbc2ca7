/** Submitting a file with the popcorn client: queued and polled, or followed as an event stream. */
import { KernelBotError, quote, requireDirectives, type Submission } from "@kernelbot/core";
import type { Context } from "hono";
import { submit } from "../../submissions/submit.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { countStream } from "../../http/limit-clients.ts";
import { setRateLimitHeaders } from "../../submissions/routes/limits.ts";
import { originOf } from "../../http/origin.ts";
import { boardNamed, targetNamed } from "./boards.ts";
import { caller } from "./caller.ts";
import { readUpload } from "./input.ts";
import { runnerQueue } from "./queue.ts";
import { resultStream } from "./stream.ts";
import { modeOf } from "./terms.ts";

/** Handles `POST /submission/{leaderboard}/{gpu}/{mode}`: queues the submission. */
export async function queueSubmission(c: Context<HttpEnv>, services: Services): Promise<Response> {
  const { submission } = await take(c, services, c.req.param("mode") ?? "");
  const details = { id: submission.id, job_status_id: submission.id };
  const [run] = submission.runs;
  return c.json(
    { details, runner_queue: await runnerQueue(services.database, run?.target ?? ""), status: "accepted" },
    202,
  );
}

/**
 * Handles `POST /{leaderboard}/{gpu}/{mode}`: queues the submission and streams its progress. Closing the connection
 * does not cancel it.
 */
export async function followSubmission(c: Context<HttpEnv>, services: Services): Promise<Response> {
  countStream(c, services);
  return streamed(c, services, await take(c, services, c.req.param("mode") ?? ""));
}

/** Handles `POST /profile/{leaderboard}/{gpu}`: the same in mode `profile`. */
export async function followProfile(c: Context<HttpEnv>, services: Services): Promise<Response> {
  countStream(c, services);
  return streamed(c, services, await take(c, services, "profile"));
}

interface Taken {
  submission: Submission;
  /** The only benchmark case whose files a profile returns; null for all. */
  benchmark: number | null;
}

function streamed(c: Context<HttpEnv>, services: Services, { submission, benchmark }: Taken): Response {
  return c.body(resultStream(services, submission, { origin: originOf(c, services.site), benchmark }), 200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
}

async function take(c: Context<HttpEnv>, services: Services, modeWord: string): Promise<Taken> {
  const { database } = services;
  const identity = await caller(c, services, "submit");
  const mode = modeOf(modeWord);
  const board = await boardNamed(database, identity, c.req.param("leaderboard") ?? "");
  const target = targetNamed(board, c.req.param("gpu") ?? "");
  const { fileName, source, benchmark } = await readUpload(c);
  const { board: named } = requireDirectives(source);
  if (named !== undefined && named.toLowerCase() !== board.name) {
    throw new KernelBotError(
      "bad_request",
      `The command names the leaderboard ${board.name}, the head of the file ${quote(named)}: make them the same.`,
    );
  }
  const request = { board: board.name, targets: [target], mode, fileName, source };
  const { submission, allowances } = await submit(database, identity, request);
  setRateLimitHeaders(c, allowances);
  return { submission, benchmark };
}
