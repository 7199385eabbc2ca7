/**
 * What open pages follow: that what they show may have changed, so that they are fetched anew. A message says no more than
 * that; its number says how far a page has come.
 */
import { CompetitionName, SuiteName, TargetName } from "@kernelbot/core";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { mustSeeThroughFreeze, readHead } from "../boards/boards.ts";
import { readListRevision, readRevision, readWholeRevision } from "../boards/revisions.ts";
import { seesThroughFreeze, standingOf, type Viewer } from "../competitions/access.ts";
import { readListRevision as readEntriesRevision, readEntryRevision, readSummary } from "../kernelbench/entries.ts";
import { readPlaces, type Waiting } from "../queue/places.ts";
import { readQueueRevision } from "../queue/revision.ts";
import type { Topic } from "../runs/event-hub.ts";
import { viewerOf } from "./auth.ts";
import { BoardAddress } from "./boards.ts";
import { calm } from "./calm.ts";
import { coalesce } from "../db/coalesce.ts";
import { Id } from "./endpoint.ts";
import { encode, message } from "./event-stream.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { After, follow, stillMay } from "./follow.ts";
import { validated } from "./input.ts";
import { noSubmission, reached } from "./submissions.ts";

/** A page is told at most once in so long. */
const PAUSE_MS = 1_000;
/** A list of models, each of whose rows sums up hundreds of kernels, is told less often. */
const LIST_PAUSE_MS = 2_000;
/** Who waits far back in a queue is told of its moves less often: so long for each place before him, up to the most. */
const PAUSE_PER_PLACE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

const OfBoard = After.extend({ unfrozen: z.literal("true").optional() });
const OfLists = After.extend({ competition: CompetitionName.optional() });
const OfEntries = z.object({ suite: SuiteName, target: TargetName });
const OfSubmission = After.extend({
  /** The places in the queue that the page shows, as in core's `updatesOf`. */
  places: z.string().max(1000).optional(),
});

interface ListQuestion {
  viewer: Viewer;
  competition: string | undefined;
}

export function mountUpdates(app: Hono<HttpEnv>, faces: Faces): void {
  const { database, reads, hub } = faces;
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
    const viewer = await viewerOf(c, faces);
    await readHead(database, viewer, board, target);
    if (validated(OfBoard, c.req.query()).unfrozen !== undefined) {
      await mustSeeThroughFreeze(database, viewer, board);
      // What a freeze hides moves no board; runs that end move the queue.
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
    const viewer = await viewerOf(c, faces);
    return followNumber(c, "board", () => lists({ viewer, competition }), standsAs(viewer));
  });

  // How many wait for a target is no secret; who and for what is not told.
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
    const viewer = await viewerOf(c, faces);
    const read = () => models({ viewer, ...of });
    return followNumber(c, `queue ${of.target}`, read, standsAs(viewer), LIST_PAUSE_MS);
  });

  app.get("/kernelbench/entries/:id{[0-9]+}/updates", async (c) => {
    const { id } = validated(Id, c.req.param());
    const viewer = await viewerOf(c, faces);
    const { target } = await readSummary(database, viewer, id);
    return followNumber(
      c,
      `queue ${target}`,
      () => entries({ viewer, id }),
      // Throws where there is none for this viewer any more.
      async (now) => (await readEntryRevision(database, now, id)) >= 0,
    );
  });

  app.get("/submissions/:id{[0-9]+}/updates", async (c) => {
    const { id } = validated(Id, c.req.param());
    const found = await reached(faces, await viewerOf(c, faces), id);
    if (found === null) throw noSubmission(id);
    const asked = validated(OfSubmission, c.req.query());
    let shown = asked.places ?? numbersOf(await places(id));
    let pauseMs = PAUSE_MS;

    /**
     * What waits, where it has another place than the page shows; else null. Where none waits any more, the log has said so.
     */
    async function movedNow(): Promise<Waiting[] | null> {
      const now = await places(id);
      const first = Math.min(...now.map(({ queuePosition }) => queuePosition ?? Infinity));
      pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, first * PAUSE_PER_PLACE_MS));
      const moved = now.length > 0 && numbersOf(now) !== shown;
      shown = numbersOf(now);
      return moved ? now : null;
    }

    return follow(c, faces, {
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
      mayRead: () => stillMay(c, faces, async (viewer) => (await reached(faces, viewer, id)) !== null),
    });
  });

  /** Tells a number whenever it is another one than the reader has. */
  async function followNumber(
    c: Context<HttpEnv>,
    topic: Topic,
    read: () => Promise<number>,
    may: (viewer: Viewer) => Promise<boolean>,
    pauseMs = PAUSE_MS,
  ): Promise<Response> {
    const { after } = validated(After, c.req.query());
    return follow(c, faces, {
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
      mayRead: () => stillMay(c, faces, may),
    });
  }
}

/** The places, as core's `updatesOf` has them. */
function numbersOf(waiting: readonly Waiting[]): string {
  return waiting.map(({ queuePosition }) => queuePosition).join(".");
}

/** Who has signed in or out meanwhile, or has other rights, has other lists. */
function standsAs(viewer: Viewer): (now: Viewer) => Promise<boolean> {
  const standing = JSON.stringify(standingOf(viewer));
  return async (now) => JSON.stringify(standingOf(now)) === standing;
}
