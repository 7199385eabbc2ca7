import { isFinished, type LogEvent } from "@kernelbot/core";
import { z } from "zod";
import { advance, startProgress, type Progress } from "../../progress/progress.ts";
import { eventLine } from "../../render/event.ts";
import { sanitize } from "../../output/text.ts";
import { Outcome, readOutcome } from "../submission-result.ts";
import { defineTool, type CallContext } from "../tool.ts";
import { excerpt } from "../untrusted.ts";

/** Shorter than the 60 s after which many MCP clients time out. */
const TIME_LIMIT_S = 50;

export const watchSubmission = defineTool({
  name: "watch_submission",
  title: "Watch a submission",
  description:
    "Waits until a submission is finished, at most for the time limit, and returns its status: verdicts and runtimes, and " +
    "for failures the class, what to do, the failing case and the differences in its output. If finished is false, the " +
    "submission is still running: call it again. With a time limit of 0, returns immediately.",
  readOnly: true,
  input: z.strictObject({
    submission: z.int().positive().describe("Number of the submission"),
    timeLimitS: z.number().min(0).max(600).default(TIME_LIMIT_S).describe("Time limit in seconds"),
  }),
  output: Outcome,
  call: async ({ submission: id, timeLimitS }, context) => {
    const submission = await context.client.submission(id);
    if (!isFinished(submission) && timeLimitS > 0) {
      await follow(startProgress(sanitize(submission)), id, timeLimitS * 1000, context);
    }
    return readOutcome(context.client, id, context.pageOf(id));
  },
});

/** Reports each event as progress until the submission ends or the time limit is reached. */
async function follow(start: Progress, id: number, limitMs: number, context: CallContext): Promise<void> {
  const limit = AbortSignal.timeout(limitMs);
  let progress = start;
  try {
    for await (const entry of context.client.events(id, { signal: AbortSignal.any([context.signal, limit]) })) {
      const event = sanitize(entry);
      progress = advance(progress, event);
      const line = eventLine(progress, event) ?? roundsLine(event);
      if (line !== null) context.progress(event.id, excerpt(line, 300));
    }
  } catch (error) {
    if (!limit.aborted || context.signal.aborted) throw error;
  }
}

/** Formats the rounds of a long stage, as a sign of progress. */
function roundsLine({ event }: LogEvent): string | null {
  return event.type === "progress" ? `${event.stage}: round ${event.done} of at most ${event.total}` : null;
}
