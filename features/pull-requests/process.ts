/**
 * Processes one pull request. Its states:
 *
 *     waiting --label--> evaluating --all judged--> evaluated --merged--> merged
 *        ^  \               |  |                        |
 *        |   +--label--> refused                        |        any --closed--> closed
 *        +-----new head, reopened, label removed--------+        any --permanent failure--> failed
 *
 * A merge before the end keeps the state evaluating, and publishes at the end. Each step is stored and idempotent:
 * after a failure, the next try continues with the unfinished steps.
 */
import { codeSpan } from "@kernelbot/core";
import { finishDelivery, listPendingDeliveries } from "./deliveries.ts";
import { isFinished } from "./evaluation.ts";
import { LABEL, type PullEvent } from "./events.ts";
import { fail, failIfPermanent } from "./failure.ts";
import { onLabelAdded, onLabelRemoved } from "./on-labelled.ts";
import { onClosed, onNewHead, onMerged, onReopened } from "./on-changed.ts";
import type { PullRow } from "./queue.ts";
import {
  updatePull,
  updateEntry,
  entriesOf,
  readEntries,
  workOn,
  type EntryStatus,
  type Tools,
  type Work,
} from "./pull-state.ts";
import { publishStatus } from "./publish-status.ts";

const STOPPED = `The evaluation was stopped. To resume it, remove the label ${codeSpan(LABEL)} and add it again.`;

/** Interval at which the comment shows progress, in milliseconds. */
export const PROGRESS_MS = 60_000;

/**
 * Processes deliveries, advances the evaluation, and updates comment and status.
 * @returns whether the pull request must be processed again without a new delivery.
 */
export async function advancePull(tools: Tools, pull: PullRow, clock: () => Date): Promise<boolean> {
  let work = workOn(tools, pull);
  for (const { id, event } of await listPendingDeliveries(work.database, pull.id)) {
    const before = work;
    work = await failIfPermanent(before, () => applyEvent(before, event));
    await finishDelivery(work.database, id, work.pull.state === "failed" ? work.pull.notice : null, clock());
  }
  const { now, followed } = await advanceWithEntries(work);
  await publishStatus(now, followed);
  const { state } = now.pull;
  return state === "evaluating" || (state === "evaluated" && followed.some(({ entry }) => entry.progress.lost > 0));
}

/** Ends the work on a pull request after a day of failures, and reports that in its comment and status. */
export async function abandonPull(tools: Tools, pull: PullRow, reason: string): Promise<void> {
  await publishStatus(await fail(workOn(tools, pull), reason), []);
}

async function advanceWithEntries(work: Work): Promise<{ now: Work; followed: EntryStatus[] }> {
  let followed: EntryStatus[] = [];
  const now = await failIfPermanent(work, async () => {
    const after = await advance(work);
    followed = await readEntries(after, await entriesOf(after, { current: true }));
    return after;
  });
  return { now, followed };
}

function applyEvent(work: Work, event: PullEvent): Promise<Work> {
  switch (event.type) {
    case "labelled":
      return onLabelAdded(work, event);
    case "unlabelled":
      return onLabelRemoved(work, event.by);
    case "moved":
      return onNewHead(work, event.sha);
    case "reopened":
      return onReopened(work, event.sha);
    case "closed":
      return event.mergedAs === null ? onClosed(work) : onMerged(work, event.mergedAs);
  }
}

/**
 * Advances the state of an evaluation: once every kernel is judged, publishes the merged entries. Lost kernels can be
 * evaluated again and a stopped entry resumed, by the label or on the entry's page.
 */
async function advance(work: Work): Promise<Work> {
  const { state, merge_sha } = work.pull;
  if (state !== "evaluating" && state !== "evaluated") return work;
  const followed = await readEntries(work, await entriesOf(work, { current: true }));
  const isMerge = merge_sha !== null;
  const awaited = followed.filter(({ row }) => !isMerge || row.is_merged === true);
  if (!awaited.every(({ entry, isStopped }) => isFinished(entry) || isStopped))
    return updatePull(work, { state: "evaluating" });
  const stopped = awaited.filter(({ isStopped }) => isStopped);
  if (!isMerge && stopped.length === 0) return updatePull(work, { state: "evaluated" });
  if (!isMerge) return updatePull(work, { state: "waiting", labelled_sha: null, notice: STOPPED });
  for (const { row } of stopped) await updateEntry(work, row, { is_merged: false });
  for (const { row, isStopped } of awaited) if (!isStopped) await work.evaluation.publish(row.entry_id);
  return updatePull(work, { state: "merged" });
}
