/** Reads that many requests share: each is executed and encoded once for all concurrent callers (see `coalesce`). */
import { isFinished, type KernelBenchEntryProgress, type LogEvent, type Queue, type Submission } from "@kernelbot/core";
import { canSeeProblem, visibilityKeyOf, type VisibilityKey, type Viewer } from "../../auth/visibility.ts";
import type { Database } from "../../db/database.ts";
import { readListChangeNumber, readChangeNumber, readWholeChangeNumber } from "../../boards/change-numbers.ts";
import { readListChangeNumber as readEntriesChangeNumber, readEntryChangeNumber } from "../../kernelbench/entries.ts";
import { readProgress } from "../../kernelbench/progress.ts";
import { listQueuePositions, type Waiting } from "../../queue/positions.ts";
import { readQueue } from "../../queue/queue.ts";
import { readQueueChangeNumber } from "../../queue/change-number.ts";
import { readEvents, readSubmission } from "../../submissions/views.ts";
import { coalesce } from "../../db/coalesce.ts";
import { encode, message, type Batch } from "../../http/event-stream.ts";

/** Maximum number of events that a stream reads at once. */
const BATCH_EVENTS = 200;

const NOTHING = new Uint8Array();

/** A submission with its JSON response and an ETag that changes with it. */
export interface TaggedSubmission {
  submission: Submission;
  etag: string;
  body: string;
}

export interface SharedReads {
  /** Returns null where it does not exist. */
  submission: (id: number) => Promise<TaggedSubmission | null>;
  /** Returns the events of a submission after a number: whole, or as one notification with the last number. */
  events: (id: number, after: number, what: "whole" | "numbers") => Promise<Batch>;
  /** Returns whether a problem exists for a viewer. Shared by all requests of an account, and by all anonymous ones. */
  canSeeProblem: (viewer: Viewer, problem: string) => Promise<boolean>;
  /** Returns null where the submission does not exist for a viewer; shared in the same way. */
  visibleSubmission: (viewer: Viewer, id: number) => Promise<TaggedSubmission | null>;
  /** Returns the progress of a KernelBench entry. */
  entryProgress: (id: number) => Promise<KernelBenchEntryProgress>;
  /** Returns the queue of all targets; `queueFor` reduces it to what a viewer may see. */
  queue: () => Promise<Queue>;
  /** Returns the positions of a submission's queued runs. */
  queuePositions: (submissionId: number) => Promise<Waiting[]>;
  changeNumbers: ReturnType<typeof sharedChangeNumbers>;
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
    // A reader that reconnects after the last event would otherwise wait for events that never come.
    const found = (await submission(Number(id)))?.submission;
    const finished = found === undefined || (isFinished(found) && found.lastEvent <= Number(after));
    return { bytes: NOTHING, last: Number(after), finished };
  });
  const problemVisibility = coalesce((key: string) => {
    const [visibility, problem] = JSON.parse(key) as [VisibilityKey, string];
    return canSeeProblem(database, visibility, problem);
  });
  const canSee: SharedReads["canSeeProblem"] = (viewer, problem) =>
    problemVisibility(JSON.stringify([visibilityKeyOf(viewer), problem]));
  const visibleSubmission = coalesce(async (key: string) => {
    const [visibility, id] = JSON.parse(key) as [VisibilityKey, number];
    const found = await readSubmission(database, id, visibility);
    return found && tagged(found);
  });
  const queue = coalesce((_: "all") => readQueue(database));
  return {
    submission,
    canSeeProblem: canSee,
    visibleSubmission: (viewer, id) => visibleSubmission(JSON.stringify([visibilityKeyOf(viewer), id])),
    entryProgress: coalesce((id: number) => readProgress(database, id)),
    queue: () => queue("all"),
    events: (id, after, what) => batch(`${id} ${after} ${what}`),
    queuePositions: coalesce((id: number) => listQueuePositions(database, id)),
    changeNumbers: sharedChangeNumbers(database),
  };
}

/** Returns reads of the change numbers of what pages show. */
function sharedChangeNumbers(database: Database) {
  const ofBoard = ({ board, target }: { board: string; target: string }): string => `${board} ${target}`;
  return {
    board: coalesce(({ board, target }) => readChangeNumber(database, board, target), ofBoard),
    /** Includes the runs that a frozen board hides. */
    wholeBoard: coalesce(({ board, target }) => readWholeChangeNumber(database, board, target), ofBoard),
    lists: coalesce(
      ({ viewer, competition }: { viewer: Viewer; competition: string | undefined }) =>
        readListChangeNumber(database, viewer, competition),
      ({ viewer, competition }) => JSON.stringify([visibilityKeyOf(viewer), competition]),
    ),
    queue: coalesce((_: "all") => readQueueChangeNumber(database)),
    entry: coalesce(
      ({ viewer, id }: { viewer: Viewer; id: number }) => readEntryChangeNumber(database, viewer, id),
      ({ viewer, id }) => JSON.stringify([visibilityKeyOf(viewer), id]),
    ),
    entries: coalesce(
      ({ viewer, ...of }: { viewer: Viewer; suite: string; target: string }) =>
        readEntriesChangeNumber(database, viewer, of),
      ({ viewer, suite, target }) => JSON.stringify([visibilityKeyOf(viewer), suite, target]),
    ),
  };
}

/**
 * Adds the ETag and JSON. Queue positions and runners change without an event of the submission, so the ETag contains
 * them and the states of the runs.
 */
function tagged(submission: Submission): TaggedSubmission {
  const places = submission.runs.map(({ state, queuePosition, runners }) => {
    if (runners === null) return state;
    const { status, online, queued, lastSeenAt } = runners;
    return [state, queuePosition, status, online, queued, lastSeenAt === null ? "" : Date.parse(lastSeenAt)].join(".");
  });
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
