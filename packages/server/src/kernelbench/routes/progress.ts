/** API endpoint that streams the progress of an entry: one event whenever it differs from what the reader has. */
import { api } from "@kernelbot/api";
import { readEntryChangeNumber, readSummary } from "../entries.ts";
import { numberOf } from "../hash-number.ts";
import { viewerOf } from "../../http/identify.ts";
import { throttleCalls } from "../../http/throttle.ts";
import { endpoint } from "../../http/endpoint.ts";
import { encode, message } from "../../http/event-stream.ts";
import { streamEvents, isStillAllowed } from "../../http/follow.ts";

/** Minimum interval between messages to a reader, in milliseconds. */
const PAUSE_MS = 1_000;

export const progressEndpoint = endpoint(api.kernelbench.events, async ({ c, services, params: { id }, query }) => {
  const { database, hub, reads } = services;
  const { target } = await readSummary(database, await viewerOf(c, services), id);
  return streamEvents(c, services, {
    from: query.after ?? 0,
    read: async (seen) => {
      const now = await reads.entryProgress(id);
      const last = numberOf(now);
      return { bytes: encode(last === seen ? "" : message(last, "progress", now)), last, finished: now.finished };
    },
    subscribe: (wake) => {
      const change = throttleCalls(wake, () => PAUSE_MS);
      const leave = hub.subscribe(`queue ${target}`, () => change.call());
      return () => {
        leave();
        change.end();
      };
    },
    mayRead: () =>
      isStillAllowed(c, services, async (viewer) => {
        await readEntryChangeNumber(database, viewer, id);
        return true;
      }),
  });
});
