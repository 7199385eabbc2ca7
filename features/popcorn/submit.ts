/**
 * Submitting a file with the popcorn client: queued and polled, or followed as an event stream. An organiser can submit
 * for a participant after the deadline.
 */
import { KernelBotError, quote, requireDirectives, type Submission, type SubmitRequest } from "@kernelbot/core";
import { enterLate } from "@kernelbot/server/src/submissions/late-entry.ts";
import { findSubmissionWindow } from "@kernelbot/server/src/submissions/page-data.ts";
import { submit, type Submitted } from "@kernelbot/server/src/submissions/submit.ts";
import { countStream } from "@kernelbot/server/src/http/limit-clients.ts";
import { setRateLimitHeaders } from "@kernelbot/server/src/submissions/routes/limits.ts";
import { originOf } from "@kernelbot/server/src/http/origin.ts";
import { boardNamed, targetNamed } from "./boards.ts";
import { authenticateClient } from "./caller.ts";
import { readUpload } from "./input.ts";
import { runnerQueue } from "./queue.ts";
import type { PopcornCall } from "./route.ts";
import { resultStream } from "./stream.ts";
import { modeOf } from "./terms.ts";

/** Handles `POST /submission/{leaderboard}/{gpu}/{mode}`: queues the submission. */
export async function queueSubmission(call: PopcornCall): Promise<Response> {
  return respondQueued(call, await acceptUpload(call, call.c.req.param("mode") ?? ""));
}

/**
 * Handles `POST /admin/submission/{leaderboard}/{gpu}/{mode}`: the same for the account of the `cli_id`, which the
 * bearer token of an organiser accompanies. After the deadline, a ranked submission is a late entry.
 */
export async function queueForParticipant(call: PopcornCall): Promise<Response> {
  const { c, services, identity: organiser } = call;
  const clientId = c.req.header("x-popcorn-cli-id") ?? c.req.header("x-web-auth-id");
  if (clientId === undefined) {
    throw new KernelBotError("bad_request", "Missing X-Popcorn-Cli-Id header: it names the account to submit for");
  }
  const identity = await authenticateClient(c, services, clientId, "submit");
  const participant = { ...call, identity };
  const accepted = await acceptUpload(participant, c.req.param("mode") ?? "", async (request) => {
    const { closesAt } = await findSubmissionWindow(services.database, request.board);
    const isLate = request.mode === "ranked" && closesAt !== null && Date.parse(closesAt) <= Date.now();
    if (!isLate) return submit(services.database, identity, request);
    const { mode: _, ...entry } = request;
    const account = identity.account.name;
    return enterLate(services.database, organiser, { ...entry, account, reason: "with POST /admin/submission" });
  });
  return respondQueued(call, accepted);
}

async function respondQueued({ c, services }: PopcornCall, { submission }: AcceptedUpload): Promise<Response> {
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
export async function followSubmission(call: PopcornCall): Promise<Response> {
  countStream(call.c, call.services);
  return streamResult(call, await acceptUpload(call, call.c.req.param("mode") ?? ""));
}

/** Handles `POST /profile/{leaderboard}/{gpu}`: the same in mode `profile`. */
export async function followProfile(call: PopcornCall): Promise<Response> {
  countStream(call.c, call.services);
  return streamResult(call, await acceptUpload(call, "profile"));
}

type Upload = Pick<SubmitRequest, "board" | "targets" | "mode" | "fileName" | "source">;

interface AcceptedUpload {
  submission: Submission;
  /** The only benchmark case whose files a profile returns; null for all. */
  benchmark: number | null;
}

function streamResult({ c, services }: PopcornCall, { submission, benchmark }: AcceptedUpload): Response {
  return c.body(resultStream(services, submission, { origin: originOf(c, services.site), benchmark }), 200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
}

async function acceptUpload(
  { c, services: { database }, identity }: PopcornCall,
  modeWord: string,
  accept: (request: Upload) => Promise<Submitted> = (request) => submit(database, identity, request),
): Promise<AcceptedUpload> {
  const mode = modeOf(modeWord);
  const board = await boardNamed(database, identity, c.req.param("leaderboard") ?? "");
  const target = targetNamed(board, c.req.param("gpu") ?? "");
  const { fileName, source, benchmark } = await readUpload(c);
  const { board: named } = requireDirectives(source);
  if (named !== undefined && named.toLowerCase() !== board.name) {
    throw new KernelBotError(
      "bad_request",
      `The command names the leaderboard ${board.name}, but the file names ${quote(named)}; make them equal.`,
    );
  }
  const request = { board: board.name, targets: [target], mode, fileName, source };
  const { submission, allowances } = await accept(request);
  setRateLimitHeaders(c, allowances);
  return { submission, benchmark };
}
