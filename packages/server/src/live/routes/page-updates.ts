/**
 * Event streams that open pages follow to learn that their content may have changed and must be fetched again. A
 * message contains little else; its id is the revision that the page has.
 */
import { CompetitionName, SuiteName, TargetName } from "@kernelbot/core";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { mustSeeThroughFreeze, readHead } from "../../boards/boards.ts";
import { readListRevision, readRevision, readWholeRevision } from "../../boards/revisions.ts";
import { seesThroughFreeze, standingOf, type Viewer } from "../../auth/visibility.ts";
import { readListRevision as readEntriesRevision, readEntryRevision, readSummary } from "../../kernelbench/entries.ts";
import { readPlaces, type Waiting } from "../../queue/positions.ts";
import { readQueueRevision } from "../../queue/revision.ts";
import type { Topic } from "../event-hub.ts";
import { viewerOf } from "../../http/identify.ts";
import { BoardAddress } from "../../boards/routes/boards.ts";
import { calm } from "../../http/throttle.ts";
import { coalesce } from "../../db/coalesce.ts";
import { Id } from "../../http/endpoint.ts";
import { encode, message } from "../../http/event-stream.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { After, follow, stillMay } from "../../http/follow.ts";
import { validated } from "../../http/input.ts";
import { noSubmission, reached } from "../../submissions/routes/submissions.ts";

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

const OfBoard = After.extend({ unfrozen: z.literal("true").optional() });
const OfLists = After.extend({ competition: CompetitionName.optional() });
const OfEntries = z.object({ suite: SuiteName, target: TargetName });
const OfSubmission = After.extend({
  /** Queue positions that the page shows, formatted as in core's `updatesOf`. */
  places: z.string().max(1000).optional(),
});

interface ListQuestion {
  viewer: Viewer;
  competition: string | undefined;
}

export function mountUpdates(app: Hono<HttpEnv>, services: Services): void {
  const { database, reads, hub } = services;
  const revision = coalesce(
    ({ board, target }: z.infer<typeof BoardAddress>) => readRevision(database, board, target),
    ({ board, target }) => `${board} ${target}`,
  );
  const wholes = coalesce(
    ({ board, target }: z.infer<typeof BoardAddress>) => readWholeRevision(database, board, target),
    ({ board, target }) => `${board} ${target}`,
  );
  const lists = coalesce(
    ({ viewer, competition }: ListQuestion) => readListRevision(database, viewer, competition),
    ({ viewer, competition }) => JSON.stringify([standingOf(viewer), competition]),
  );
  const queues = coalesce((_: "all") => readQueueRevision(database));
  const entries = coalesce(
    ({ viewer, id }: { viewer: Viewer; id: number }) => readEntryRevision(database, viewer, id),
    ({ viewer, id }) => JSON.stringify([standingOf(viewer), id]),
  );
  const models = coalesce(
    ({ viewer, ...of }: { viewer: Viewer } & z.infer<typeof OfEntries>) => readEntriesRevision(database, viewer, of),
    ({ viewer, suite, target }) => JSON.stringify([standingOf(viewer), suite, target]),
  );
  const places = coalesce((id: number) => readPlaces(database, id));

  app.get("/boards/:board/:target/updates", async (c) => {
    const address = validated(BoardAddress, c.req.param());
    const { board, target } = address;
    const viewer = await viewerOf(c, services);
    await readHead(database, viewer, board, target);
    if (validated(OfBoard, c.req.query()).unfrozen !== undefined) {
      await mustSeeThroughFreeze(database, viewer, board);
      // Hidden runs do not change the board's revision, so the stream listens to the queue, which changes when runs
      // end.
      return followNumber(
        c,
        `queue ${target}`,
        () => wholes(address),
        (now) => seesThroughFreeze(database, now, board),
      );
    }
    return followNumber(
      c,
      `board ${board} ${target}`,
      () => revision(address),
      (viewer) => reads.reaches(viewer, board),
    );
  });

  app.get("/updates", async (c) => {
    const { competition } = validated(OfLists, c.req.query());
    const viewer = await viewerOf(c, services);
    return followNumber(c, "board", () => lists({ viewer, competition }), standsAs(viewer));
  });

  // The number of queued runs per target is public; their owners and problems are not in the message.
  app.get("/queue/updates", (c) =>
    followNumber(
      c,
      "queue",
      () => queues("all"),
      async () => true,
    ),
  );

  app.get("/kernelbench/updates", async (c) => {
    const of = validated(OfEntries, c.req.query());
    const viewer = await viewerOf(c, services);
    const read = () => models({ viewer, ...of });
    return followNumber(c, `queue ${of.target}`, read, standsAs(viewer), LIST_PAUSE_MS);
  });

  app.get("/kernelbench/entries/:id{[0-9]+}/updates", async (c) => {
    const { id } = validated(Id, c.req.param());
    const viewer = await viewerOf(c, services);
    const { target } = await readSummary(database, viewer, id);
    return followNumber(
      c,
      `queue ${target}`,
      () => entries({ viewer, id }),
      // Throws where the entry no longer exists for this viewer.
      async (now) => (await readEntryRevision(database, now, id)) >= 0,
    );
  });

  app.get("/submissions/:id{[0-9]+}/updates", async (c) => {
    const { id } = validated(Id, c.req.param());
    const found = await reached(services, await viewerOf(c, services), id);
    if (found === null) throw noSubmission(id);
    const asked = validated(OfSubmission, c.req.query());
    let shown = asked.places ?? numbersOf(await places(id));
    let pauseMs = PAUSE_MS;

    /**
     * Returns the queued runs if their positions differ from those on the page; else null. Also null where none is
     * queued, because the log has already reported it.
     */
    async function movedNow(): Promise<Waiting[] | null> {
      const now = await places(id);
      const first = Math.min(...now.map(({ queuePosition }) => queuePosition ?? Infinity));
      pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, first * PAUSE_PER_PLACE_MS));
      const moved = now.length > 0 && numbersOf(now) !== shown;
      shown = numbersOf(now);
      return moved ? now : null;
    }

    return follow(c, services, {
      from: asked.after ?? 0,
      read: async (after) => {
        const batch = await reads.events(id, after, "numbers");
        if (batch.finished) return batch;
        const moved = await movedNow();
        if (moved === null || batch.bytes.length > 0) return batch;
        return { ...batch, bytes: encode(message(null, "update", { queue: moved })) };
      },
      subscribe: (wake) => {
        const move = calm(wake, () => pauseMs);
        const targets = new Set(found.submission.runs.map(({ target }) => target));
        const leave = [
          hub.subscribe(`submission ${id}`, wake),
          ...Array.from(targets, (target) => hub.subscribe(`queue ${target}`, () => move.call())),
          () => move.end(),
        ];
        return () => leave.forEach((end) => end());
      },
      mayRead: () => stillMay(c, services, async (viewer) => (await reached(services, viewer, id)) !== null),
    });
  });

  /** Streams a revision number whenever it differs from the reader's. */
  async function followNumber(
    c: Context<HttpEnv>,
    topic: Topic,
    read: () => Promise<number>,
    may: (viewer: Viewer) => Promise<boolean>,
    pauseMs = PAUSE_MS,
  ): Promise<Response> {
    const { after } = validated(After, c.req.query());
    return follow(c, services, {
      from: after ?? (await read()),
      read: async (seen) => {
        const now = await read();
        return { bytes: now === seen ? encode("") : encode(message(now, "update", {})), last: now, finished: false };
      },
      subscribe: (wake) => {
        const change = calm(wake, () => pauseMs);
        const leave = hub.subscribe(topic, () => change.call());
        return () => {
          leave();
          change.end();
        };
      },
      mayRead: () => stillMay(c, services, may),
    });
  }
}

/** Formats queue positions as core's `updatesOf` does. */
function numbersOf(waiting: readonly Waiting[]): string {
  return waiting.map(({ queuePosition }) => queuePosition).join(".");
}

/**
 * Returns a check that the viewer has the same account and rights as when the stream began; otherwise their lists
 * differ.
 */
function standsAs(viewer: Viewer): (now: Viewer) => Promise<boolean> {
  const standing = JSON.stringify(standingOf(viewer));
  return async (now) => JSON.stringify(standingOf(now)) === standing;
}
