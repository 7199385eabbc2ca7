/** Content of a submission's page for a viewer, and the actions that the viewer may perform. */
import type { RunState, Submission, SubmissionRank } from "@kernelbot/core";
import type { ComparableSubmission, SubmissionPage } from "@kernelbot/web";
import { readProfile } from "../../artifacts/profiles.ts";
import { findSubmissionRanks } from "../../boards/ranks.ts";
import type { Viewer } from "../../auth/visibility.ts";
import { hasRole } from "../../auth/identity.ts";
import { findTranscript } from "../../evaluations/sessions/attach.ts";
import { decisionsOn } from "../../moderation/decisions.ts";
import { findLatestSubmission, listStageProgress, findSubmissionWindow } from "../page-data.ts";
import { sourceRefusal } from "../source-access.ts";
import { readRun, readSource } from "../views.ts";
import type { Services } from "../../services.ts";
import { isOwn as isWholeFor, publicPart, publicRun } from "./submissions.ts";

/** Returns the content of the page. The viewer must be allowed to see the submission. */
export async function submissionFor(
  services: Services,
  viewer: Viewer,
  submission: Submission,
): Promise<Omit<SubmissionPage, "visit">> {
  const { database } = services;
  const { id, account, board, mode, removed } = submission;
  const isWhole = isWholeFor(submission, viewer);
  const isOwn = account.id === viewer?.account.id;
  const targets = [...new Set(submission.runs.map((run) => run.target))];
  const [runs, { competition, closesAt }, places, progress, decisions, refusal] = await Promise.all([
    Promise.all(submission.runs.map((run) => readRun(database, run.id))),
    findSubmissionWindow(database, board),
    mode === "ranked" ? findSubmissionRanks(database, viewer, board, targets, id) : [],
    submission.runs.some((run) => run.state === "running") ? listStageProgress(database, id) : [],
    isWhole ? decisionsOn(database, id) : [],
    sourceRefusal(database, viewer, id),
  ]);
  const [source, transcript] =
    refusal === null ? await Promise.all([readSource(database, id), findTranscript(database, id)]) : [null, null];
  const isActive = viewer !== undefined && viewer.banReason === null;
  const isModerator = viewer !== undefined && hasRole(viewer, "moderator");
  // Only moderators may cancel a re-run, so that owners cannot avoid one.
  const cancellable = submission.runs.filter(({ state, rerun }) => isOpen(state) && (rerun === 0 || isModerator));
  return {
    submission: isWhole ? submission : publicPart(submission),
    runs: runs.filter((run) => run !== null).map((run) => (isWhole ? run : publicRun(run))),
    isWhole,
    isOwn,
    competition,
    places,
    progress,
    decisions,
    profile: isWhole
      ? await readProfile(
          services.store,
          runs.filter((run) => run !== null),
        )
      : null,
    source,
    transcript,
    now: new Date(),
    others: source === null ? [] : await othersFor(services, viewer, submission, places),
    acts: {
      cancel: isActive && (isOwn || isModerator) && cancellable.length > 0,
      again: isOwn && isActive && submission.contentsDeletedAt === undefined,
      compare: viewer !== undefined && source !== null,
      remove: isOwn && isActive && removed === null && (closesAt === null || Date.parse(closesAt) > Date.now()),
    },
  };
}

function isOpen(state: RunState): boolean {
  return state === "queued" || state === "running";
}

/**
 * Returns the submissions offered for comparison: the viewer's own latest one, or the one before this, and the leaders
 * whose source the viewer may read.
 */
async function othersFor(
  { database }: Services,
  viewer: Viewer,
  submission: Submission,
  places: readonly SubmissionRank[],
): Promise<ComparableSubmission[]> {
  if (viewer === undefined) return [];
  const isOwn = submission.account.id === viewer.account.id;
  const own = await findLatestSubmission(database, viewer.account.id, submission, isOwn ? submission.id : undefined);
  const leaders = await Promise.all(
    places
      .filter(({ leader }) => leader.id !== submission.id && leader.id !== own?.id)
      .map(async ({ target, leader }) => ({
        id: leader.id,
        label: `Leader on ${target}, by ${leader.account}`,
        target,
        isReadable: (await sourceRefusal(database, viewer, leader.id)) === null,
      })),
  );
  return [
    ...(own === null ? [] : [{ ...own, label: isOwn ? "Your previous submission" : "Your latest submission" }]),
    ...leaders.filter(({ isReadable }) => isReadable),
  ];
}
