/**
 * Works off one pull request. Its states:
 *
 *     waiting --label--> evaluating --all is judged--> evaluated --merged--> merged
 *        ^  \               |  |                          |
 *        |   +--label--> refused                          |
 *        +-----new head, reopened-------------------------+        any --closed--> closed
 *
 * A merge before the end leaves it evaluating, and publishes then. Each step is stored, and may be done twice: whatever
 * breaks in between, the next try goes on from there.
 */
import { deliveryDone, waitingDeliveries } from "./deliveries.ts";
import { isFinished } from "./evaluation.ts";
import type { PullEvent } from "./events.ts";
import { labelGiven } from "./labelled.ts";
import { closed, headMoved, merged, reopened } from "./moved.ts";
import type { PullRow } from "./queue.ts";
import { changed, entriesOf, readEntries, workOn, type Tools, type Work } from "./rows.ts";
import { say } from "./say.ts";

/** How often the comment tells of progress. */
export const PROGRESS_MS = 60_000;

/** Does what there is to do. @returns whether there will be more without a word from GitHub. */
export async function workOff(tools: Tools, pull: PullRow, clock: () => Date): Promise<boolean> {
  let work = workOn(tools, pull);
  for (const { id, event } of await waitingDeliveries(work.database, pull.id)) {
    work = await happened(work, event);
    await deliveryDone(work.database, id, clock());
  }
  work = await advance(work);
  const rows = await entriesOf(work, { current: true });
  const followed = await readEntries(work, rows);
  work = await say(work, followed);
  const { state } = work.pull;
  return state === "evaluating" || (state === "evaluated" && followed.some(({ entry }) => entry.progress.lost > 0));
}

function happened(work: Work, event: PullEvent): Promise<Work> {
  switch (event.type) {
    case "labelled":
      return labelGiven(work, event);
    case "moved":
      return headMoved(work, event.sha);
    case "reopened":
      return reopened(work, event.sha);
    case "closed":
      return event.mergedAs === null ? closed(work) : merged(work, event.mergedAs);
  }
}

/** Once all is judged: publishes what was merged. What was lost may be asked for again, here or on the entry's page. */
async function advance(work: Work): Promise<Work> {
  const { state, merge_sha } = work.pull;
  if (state !== "evaluating" && state !== "evaluated") return work;
  const followed = await readEntries(work, await entriesOf(work, { current: true }));
  const isMerge = merge_sha !== null;
  const awaited = followed.filter(({ row }) => !isMerge || row.is_merged === true);
  if (!awaited.every(({ entry }) => isFinished(entry))) return changed(work, { state: "evaluating" });
  if (!isMerge) return changed(work, { state: "evaluated" });
  for (const { row } of awaited) await work.evaluation.publish(row.entry_id);
  return changed(work, { state: "merged" });
}
