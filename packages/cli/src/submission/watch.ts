/** Watches a submission until it has ended. */
import type { Client } from "@kernelbot/api";
import { isFinished, type Submission } from "@kernelbot/core";
import { openDisplay, type Display } from "../progress/display.ts";
import { untilInterrupted } from "../command/interrupt.ts";
import { advance, startProgress, withQueue, type Progress } from "../progress/progress.ts";
import { sanitize } from "../output/text.ts";

/** Interval in ms at which queue positions are polled, since the event log does not contain them. */
const QUEUE_MS = 2000;

/**
 * Shows the submission's log as it grows and returns when the submission has ended.
 * @throws Interrupted after Ctrl-C; the submission continues.
 */
export async function follow(client: Client, submission: Submission, json: boolean): Promise<void> {
  if (isFinished(submission)) return;
  const { id } = submission;
  const display = openDisplay(json);
  const message =
    `Stopped watching; submission ${id} continues. ` +
    `To resume watching: kernelbot watch ${id}. To cancel it: kernelbot cancel ${id}`;
  try {
    await untilInterrupted(message, (signal) => showEvents(client, submission, display, signal));
    display.end("ended");
  } catch (error) {
    display.end("stopped");
    throw error;
  }
}

async function showEvents(
  client: Client,
  submission: Submission,
  display: Display,
  signal: AbortSignal,
): Promise<void> {
  let progress: Progress = startProgress(sanitize(submission));
  display.show(progress);
  const refreshQueue = async () => {
    if (!progress.runs.some((run) => run.state === "queued")) return;
    progress = withQueue(progress, await client.submission(submission.id));
    display.show(progress);
  };
  // A failed request is repeated at the next interval; the reader of the log reports a lost connection.
  const timer = display.live ? setInterval(() => void refreshQueue().catch(() => undefined), QUEUE_MS) : undefined;
  try {
    for await (const entry of client.events(submission.id, { signal })) {
      const event = sanitize(entry);
      progress = advance(progress, event);
      display.show(progress, event);
    }
  } finally {
    clearInterval(timer);
  }
}
