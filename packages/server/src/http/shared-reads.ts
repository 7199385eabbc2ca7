/** What many ask for at once is read once for all of them, and made into bytes once (see `coalesce`). */
import { isFinished, type EntryProgress, type LogEvent, type Queue, type Submission } from "@kernelbot/core";
import { reachesProblem, reachesSubmission, standingOf, type Standing, type Viewer } from "../competitions/access.ts";
import type { Database } from "../db/database.ts";
import { readProgress } from "../kernelbench/progress.ts";
import { readQueue } from "../queue/queue.ts";
import { readEvents, readSubmission } from "../runs/views.ts";
import { coalesce } from "../db/coalesce.ts";
import { encode, message, type Batch } from "./event-stream.ts";

/** Events that a stream takes at once. */
const BATCH_EVENTS = 200;

const NOTHING = new Uint8Array();

/** A submission with the bytes of its answer and the tag that changes with it. */
export interface TaggedSubmission {
  submission: Submission;
  etag: string;
  body: string;
}

export interface SharedReads {
  /** Null where there is none. */
  submission: (id: number) => Promise<TaggedSubmission | null>;
  /** The log of a submission after an event: whole, or only its numbers for those who may not see it. */
  events: (id: number, after: number, what: "whole" | "numbers") => Promise<Batch>;
  /** Whether a problem is there for a viewer; shared by all requests of one account, and by all strangers'. */
  reaches: (viewer: Viewer, problem: string) => Promise<boolean>;
  /** The same of a submission. */
  reachesSubmission: (viewer: Viewer, id: number) => Promise<boolean>;
  /** How far an entry of KernelBench is. */
  entryProgress: (id: number) => Promise<EntryProgress>;
  /** The queue of all targets: what a viewer may see of it says `queueFor`. */
  queue: () => Promise<Queue>;
}

export function sharedReads(database: Database): SharedReads {
  const submission = coalesce(async (id: number) => {
    const found = await readSubmission(database, id);
    return found && tagged(found);
  });
  const batch = coalesce(async (key: `${number} ${number} ${"whole" | "numbers"}`) => {
    const [id, after, what] = key.split(" ");
    const events = await readEvents(database, Number(id), Number(after), BATCH_EVENTS);
    if (events.length > 0) return batchOf(events, what === "whole");
    // A reader that comes back after the end asks for what does not follow any more.
    const found = (await submission(Number(id)))?.submission;
    const finished = found === undefined || (isFinished(found) && found.lastEvent <= Number(after));
    return { bytes: NOTHING, last: Number(after), finished };
  });
  const reach = coalesce((key: string) => {
    const [standing, problem] = JSON.parse(key) as [Standing, string];
    return reachesProblem(database, standing, problem);
  });
  const reaches: SharedReads["reaches"] = (viewer, problem) => reach(JSON.stringify([standingOf(viewer), problem]));
  const reachOne = coalesce((key: string) => {
    const [standing, id] = JSON.parse(key) as [Standing, number];
    return reachesSubmission(database, standing, id);
  });
  const queue = coalesce((_: "all") => readQueue(database));
  return {
    submission,
    reaches,
    reachesSubmission: (viewer, id) => reachOne(JSON.stringify([standingOf(viewer), id])),
    entryProgress: coalesce((id: number) => readProgress(database, id)),
    queue: () => queue("all"),
    events: (id, after, what) => batch(`${id} ${after} ${what}`),
  };
}

/** Runs wait in a queue that moves without an event of theirs, so the tag holds their states and places too. */
function tagged(submission: Submission): TaggedSubmission {
  const places = submission.runs.map((run) => `${run.state}${run.queuePosition ?? ""}`);
  return {
    submission,
    etag: `"${submission.lastEvent}-${places.join("-")}"`,
    body: JSON.stringify(submission),
  };
}

function batchOf(events: readonly LogEvent[], whole: boolean): Batch {
  const { id, event } = events.at(-1) as LogEvent;
  const finished = event.type === "submission_finished";
  const lines = whole
    ? events.map((event) => message(event.id, "log", event))
    : [message(id, finished ? "finished" : "update", {})];
  return { bytes: encode(lines.join("")), last: id, finished };
}
