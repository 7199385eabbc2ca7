/**
 * Event streams that open pages follow to learn that their content may have changed and must be fetched again. A
 * message contains little else; its id is the change number that the page has.
 */
import { api, Id, After } from "@kernelbot/api";
import {
  CompetitionName,
  formatPlaces,
  formatTargetStatuses,
  SuiteName,
  TargetName,
  targetsOfStatuses,
} from "@kernelbot/core";
import { z } from "zod";
import { readHead, requireUnfrozenAccess } from "../../boards/board-version.ts";
import { seesThroughFreeze, visibilityKeyOf, type Viewer } from "../../auth/visibility.ts";
import { readEntryChangeNumber, readSummary } from "../../kernelbench/entries.ts";
import { readAvailabilities } from "../../queue/availability.ts";
import type { Waiting } from "../../queue/positions.ts";
import type { Topic } from "../event-hub.ts";
import { throttleCalls } from "../../http/throttle.ts";
import { encode, message } from "../../http/event-stream.ts";
import { streamEvents, isStillAllowed } from "../../http/follow.ts";
import { page, type PageCall, type PageRoute } from "../../http/page.ts";
import { noSubmission } from "../../submissions/routes/submissions.ts";

/** Minimum interval between messages to a page. */
const PAUSE_MS = 1_000;
/** Interval for the list of models, which is longer because each row aggregates hundreds of kernels. */
const LIST_PAUSE_MS = 2_000;
/**
 * Interval for queue positions: 100 ms for each position ahead, up to 10 s, because positions far back in the queue
 * change often and matter less.
 */
const PAUSE_PER_PLACE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

const AfterAndRunners = After.extend({
  /** Statuses of targets that the page shows, formatted by core's `formatTargetStatuses`. */
  runners: z.string().max(1000).optional(),
});

export const updateRoutes: readonly PageRoute[] = [
  page({
    path: "/boards/:board/:target/updates",
    access: "viewer",
    params: api.boards.get.params,
    query: AfterAndRunners.extend({ unfrozen: z.literal("true").optional() }),
    async handle(call) {
      const { services, identity, params, query } = call;
      const { database, reads } = services;
      const { board, target } = params;
      await readHead(database, identity, board, target);
      if (query.unfrozen !== undefined) {
        await requireUnfrozenAccess(database, identity, board);
        // Hidden runs do not change the board's change number, so the stream listens to the queue, which changes when runs
        // end.
        return followChangeNumber(call, {
          topic: `queue ${target}`,
          read: () => reads.changeNumbers.wholeBoard(params),
          mayRead: (viewer) => seesThroughFreeze(database, viewer, board),
        });
      }
      return followChangeNumber(call, {
        topic: `board ${board} ${target}`,
        read: () => reads.changeNumbers.board(params),
        mayRead: (viewer) => reads.canSeeProblem(viewer, board),
      });
    },
  }),

  page({
    path: "/updates",
    access: "viewer",
    query: AfterAndRunners.extend({ competition: CompetitionName.optional() }),
    handle: (call) =>
      followChangeNumber(call, {
        topic: "board",
        read: () =>
          call.services.reads.changeNumbers.lists({ viewer: call.identity, competition: call.query.competition }),
        mayRead: hasSameRights(call.identity),
      }),
  }),

  // The number of queued runs per target is public; their owners and problems are not in the message.
  page({
    path: "/queue/updates",
    access: "anyone",
    query: After,
    handle: (call) =>
      followChangeNumber(call, {
        topic: "queue",
        read: () => call.services.reads.changeNumbers.queue("all"),
        mayRead: async () => true,
      }),
  }),

  page({
    path: "/kernelbench/updates",
    access: "viewer",
    query: After.extend({ suite: SuiteName, target: TargetName }),
    handle(call) {
      const { services, identity, query } = call;
      const { suite, target } = query;
      return followChangeNumber(call, {
        topic: `queue ${target}`,
        read: () => services.reads.changeNumbers.entries({ viewer: identity, suite, target }),
        mayRead: hasSameRights(identity),
        pauseMs: LIST_PAUSE_MS,
      });
    },
  }),

  page({
    path: "/kernelbench/entries/:id{[0-9]+}/updates",
    access: "viewer",
    params: Id,
    query: After,
    async handle(call) {
      const { services, identity, params } = call;
      const { target } = await readSummary(services.database, identity, params.id);
      return followChangeNumber(call, {
        topic: `queue ${target}`,
        read: () => services.reads.changeNumbers.entry({ viewer: identity, id: params.id }),
        // Throws where the entry no longer exists for this viewer.
        mayRead: async (viewer) => (await readEntryChangeNumber(services.database, viewer, params.id)) >= 0,
      });
    },
  }),

  page({
    path: "/submissions/:id{[0-9]+}/updates",
    access: "viewer",
    params: Id,
    query: After.extend({
      /** Queue positions and statuses that the page shows, formatted by core's `formatPlaces`. */
      places: z.string().max(1000).optional(),
    }),
    async handle({ c, services, identity, params: { id }, query }) {
      const { reads, hub } = services;
      const found = await reads.visibleSubmission(identity, id);
      if (found === null) throw noSubmission(id);
      let shownPositions = query.places ?? formatPlaces(await reads.queuePositions(id));
      let pauseMs = PAUSE_MS;

      /**
       * Returns the queued runs if their positions or statuses differ from those on the page; else null. Also null where none is
       * queued, because the log has already reported it.
       */
      async function findMovedRuns(): Promise<Waiting[] | null> {
        const now = await reads.queuePositions(id);
        const first = Math.min(...now.map(({ queuePosition }) => queuePosition ?? Infinity));
        pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, first * PAUSE_PER_PLACE_MS));
        const moved = now.length > 0 && formatPlaces(now) !== shownPositions;
        shownPositions = formatPlaces(now);
        return moved ? now : null;
      }

      return streamEvents(c, services, {
        from: query.after ?? 0,
        read: async (after) => {
          const batch = await reads.events(id, after, "numbers");
          if (batch.finished) return batch;
          const moved = await findMovedRuns();
          if (moved === null || batch.bytes.length > 0) return batch;
          return { ...batch, bytes: encode(message(null, "update", { queue: moved })) };
        },
        subscribe: (wake) => {
          const move = throttleCalls(wake, () => pauseMs);
          const targets = new Set(found.submission.runs.map(({ target }) => target));
          const leave = [
            hub.subscribe(`submission ${id}`, wake),
            ...Array.from(targets, (target) => hub.subscribe(`queue ${target}`, () => move.call())),
            () => move.end(),
          ];
          return () => leave.forEach((end) => end());
        },
        mayRead: () =>
          isStillAllowed(c, services, async (viewer) => (await reads.visibleSubmission(viewer, id)) !== null),
      });
    },
  }),
];

interface ChangeNumberSource {
  /** Topic whose messages cause another read. */
  topic: Topic;
  read: () => Promise<number>;
  /** Returns whether the viewer still has permission. */
  mayRead: (viewer: Viewer) => Promise<boolean>;
  /** Minimum interval between messages; 1 s by default. */
  pauseMs?: number;
}

/** Streams a change number whenever it, or the statuses of targets that the page shows, differ from the reader's. */
async function followChangeNumber(
  { c, services, query: { after, runners } }: PageCall<Viewer, unknown, z.infer<typeof AfterAndRunners>>,
  { topic, read, mayRead, pauseMs = PAUSE_MS }: ChangeNumberSource,
): Promise<Response> {
  let shown = runners;

  /** Returns whether the statuses of the targets are no longer those that the page shows. */
  async function haveRunnersChanged(): Promise<boolean> {
    if (shown === undefined) return false;
    const before = shown;
    shown = formatTargetStatuses(targetsOfStatuses(before), await readAvailabilities(services.database));
    return shown !== before;
  }

  return streamEvents(c, services, {
    from: after ?? (await read()),
    read: async (seen) => {
      const [now, haveChanged] = await Promise.all([read(), haveRunnersChanged()]);
      const isSame = now === seen && !haveChanged;
      return { bytes: isSame ? encode("") : encode(message(now, "update", {})), last: now, finished: false };
    },
    subscribe: (wake) => {
      const change = throttleCalls(wake, () => pauseMs);
      const topics: Topic[] = shown === undefined ? [topic] : [topic, "runners"];
      const leave = topics.map((each) => services.hub.subscribe(each, () => change.call()));
      return () => {
        leave.forEach((end) => end());
        change.end();
      };
    },
    mayRead: () => isStillAllowed(c, services, mayRead),
  });
}

/**
 * Returns a check that the viewer has the same account and rights as when the stream began; otherwise their lists
 * differ.
 */
function hasSameRights(viewer: Viewer): (now: Viewer) => Promise<boolean> {
  const visibility = JSON.stringify(visibilityKeyOf(viewer));
  return async (now) => JSON.stringify(visibilityKeyOf(now)) === visibility;
}
