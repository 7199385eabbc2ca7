/** Watches a submission until it has ended. */
import type { Client } from "@kernelbot/api";
import { isFinished, isStranded, type Submission } from "@kernelbot/core";
import { openDisplay, type Display } from "../render/display.ts";
import { untilInterrupted } from "../command/interrupt.ts";
import { advance, startProgress, withQueue, type Progress } from "../progress/progress.ts";
import { sanitize } from "../output/text.ts";
import type { Connection } from "../config/config.ts";
import { printOutcome } from "./results.ts";
import { withResume } from "./resume.ts";
import { QUEUE_POLL_MS, RunnerWait } from "./runner-wait.ts";

export interface FollowOptions {
  json: boolean;
  /** How long to wait while no runner is connected, in milliseconds. */
  runnerTimeoutMs: number;
}

/**
 * Shows the submission's log as it grows and returns when the submission has ended, or no runner could take its runs for
 * the time limit. Then it stays queued, and the standard error says how to continue.
 * @throws Interrupted after Ctrl-C; the submission continues.
 */
export async function follow(
  client: Client,
  submission: Submission,
  { json, runnerTimeoutMs }: FollowOptions,
): Promise<void> {
  if (isFinished(submission)) return;
  const { id } = submission;
  const display = openDisplay(json);
  const wait = new RunnerWait(runnerTimeoutMs);
  const next = resumeWords(id);
  try {
    await untilInterrupted(`Stopped watching; submission ${id} continues. ${next}`, (signal) =>
      showEvents(client, submission, display, wait, signal),
    );
    display.end("ended");
  } catch (error) {
    display.end("stopped");
    throw error;
  }
  if (wait.isOver) {
    console.error(`No runner could take the submission within ${wait.limit}; submission ${id} stays queued. ${next}`);
  }
}

function resumeWords(id: number): string {
  return `To resume watching: kernelbot watch ${id}. To cancel it: kernelbot cancel ${id}`;
}

/**
 * Follows a submission and prints its outcome.
 * @returns the exit code.
 * @throws KernelBotError whose message ends with how to resume.
 */
export async function watchToEnd(
  connection: Connection,
  submission: Submission,
  { out, ...options }: FollowOptions & { out: string | undefined },
): Promise<number> {
  const { id } = submission;
  return withResume(`Submission ${id} continues. ${resumeWords(id)}`, async () => {
    await follow(connection.client, submission, options);
    return printOutcome(connection, id, { json: options.json, samples: false, out });
  });
}

async function showEvents(
  client: Client,
  submission: Submission,
  display: Display,
  wait: RunnerWait,
  signal: AbortSignal,
): Promise<void> {
  let progress: Progress = startProgress(sanitize(submission));
  const showQueue = ({ runs }: Submission) => {
    wait.record(isStranded(runs));
    progress = withQueue(progress, { runs }, wait.givesUpAtMs);
    display.show(progress);
  };
  showQueue(submission);

  const ended = new AbortController();
  const reading = AbortSignal.any([signal, ended.signal]);
  const polling = pollQueue();
  try {
    for await (const entry of client.events(submission.id, { signal: reading })) {
      const event = sanitize(entry);
      progress = advance(progress, event);
      display.show(progress, event);
    }
  } catch (error) {
    if (!wait.isOver || signal.aborted) throw error;
  } finally {
    ended.abort();
    await polling;
  }

  /** Polls the queue positions and runners of queued runs; ends the reading when the wait for a runner is over. */
  async function pollQueue(): Promise<void> {
    while (!reading.aborted && !wait.isOver) {
      const isWaiting = await wait.sleep(QUEUE_POLL_MS, reading);
      if (!isWaiting || !progress.runs.some((run) => run.state === "queued")) continue;
      // A failed request is repeated at the next interval; the reader of the log reports a lost connection.
      const current = await client.submission(submission.id).catch(() => null);
      if (current !== null) showQueue(current);
    }
    ended.abort();
  }
}
