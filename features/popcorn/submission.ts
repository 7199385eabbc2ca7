/** A submission in the shape in which the popcorn client polls it. */
import { sanitize, isFinished, runReport, type RunDetail, type Submission } from "@kernelbot/core";
import { readRun, readSource } from "@kernelbot/server/src/submissions/views.ts";
import { numberOf } from "@kernelbot/server/src/problems/problems.ts";
import type { Services } from "@kernelbot/server/src/services.ts";
import { popcornRuns } from "./results.ts";
import { formatProgress } from "./terms.ts";

export interface Job {
  /** `succeeded` and `failed` end the client's polling; any other text is displayed. */
  status: string;
  error: string | null;
  last_heartbeat: string | null;
}

/** Returns the details of all runs of a finished submission. */
export async function finishedRuns({ database }: Services, { runs }: Submission): Promise<RunDetail[]> {
  const found = await Promise.all(runs.map((run) => readRun(database, run.id)));
  return found.filter((run) => run !== null);
}

/** Returns the job status. The client displays only `error` of a failure, so it contains the complete report. */
function jobOf(submission: Submission, runs: readonly RunDetail[]): Job {
  const last_heartbeat =
    submission.runs
      .map((run) => run.finishedAt ?? run.startedAt)
      .toSorted()
      .at(-1) ?? null;
  if (!isFinished(submission)) {
    return { status: formatProgress(submission, new Date()), error: null, last_heartbeat };
  }
  if (runs.every((run) => run.verdict === "passed")) return { status: "succeeded", error: null, last_heartbeat };
  return { status: "failed", error: runs.map(runReport).join("\n\n"), last_heartbeat };
}

/** Returns the response to a poll. */
export async function popcornSubmission(services: Services, submission: Submission) {
  const done = isFinished(submission);
  const runs = done ? await finishedRuns(services, submission) : [];
  return {
    id: submission.id,
    leaderboard_id: await numberOf(services.database, submission.board),
    leaderboard_name: submission.board,
    file_name: submission.fileName,
    user_id: submission.account.id,
    submission_time: submission.createdAt,
    done,
    code: await readSource(services.database, submission.id),
    runs: runs.flatMap(popcornRuns),
    job: jobOf(submission, runs),
    runner_queue: null,
  };
}

/** Returns a submission for administrators, including the output of its stages. */
export async function adminSubmission(services: Services, submission: Submission) {
  const [shown, runs] = await Promise.all([
    popcornSubmission(services, submission),
    finishedRuns(services, submission),
  ]);
  const { id, job, ...rest } = shown;
  return {
    ...rest,
    submission_id: id,
    runs: runs.flatMap((run) =>
      popcornRuns(run).map((row) => ({
        ...row,
        compilation: null,
        meta: { stdout: outputOf(run), stderr: run.detail ?? "", success: row.passed },
        system: run.machine,
      })),
    ),
    job_status: job.status,
    job_error: job.error,
    job_last_heartbeat: job.last_heartbeat,
  };
}

function outputOf({ stages }: RunDetail): string {
  return sanitize(stages.map(({ output }) => (output === null ? "" : output.head + output.tail)).join(""));
}
