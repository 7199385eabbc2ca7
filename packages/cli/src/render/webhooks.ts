/** Webhooks and their deliveries as tables. */
import type { Webhook, WebhookDelivery } from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { table } from "./table.ts";
import { shortMoment } from "./format.ts";

const TONES = {
  active: "green",
  failing: "yellow",
  paused: "yellow",
  pending: "yellow",
  delivered: "green",
  failed: "red",
} as const;

export function webhookLines(webhooks: readonly Webhook[], width: number, style: Style): string[] {
  if (webhooks.length === 0) return ["You have no webhooks yet. To create one: kernelbot webhooks add URL"];
  const rows = webhooks.map(({ id, url, events, state, pauseReason, boards, competition }) => [
    String(id),
    url,
    events.join(", "),
    [...boards.map(({ board, target }) => `${board}/${target}`), ...(competition === null ? [] : [competition])].join(
      ", ",
    ),
    style[TONES[state]](pauseReason ?? state),
  ]);
  return table(
    [
      { title: "id", side: "right" },
      { title: "URL", shrinks: true },
      { title: "events" },
      { title: "scope" },
      { title: "state" },
    ],
    rows,
    width,
    style,
  );
}

export function deliveryLines(
  deliveries: readonly WebhookDelivery[],
  now: Date,
  width: number,
  style: Style,
): string[] {
  if (deliveries.length === 0) return ["No deliveries yet."];
  const rows = deliveries.map(({ id, sequence, event, state, createdAt, tries, nextTryAt, lastTry }) => [
    String(sequence),
    id,
    event,
    shortMoment(createdAt, now),
    style[TONES[state]](state),
    String(tries),
    nextTryAt === null ? "" : shortMoment(nextTryAt, now),
    lastTry === null ? "" : (lastTry.error ?? String(lastTry.status)),
  ]);
  return table(
    [
      { title: "#", side: "right" },
      { title: "delivery" },
      { title: "event" },
      { title: "time" },
      { title: "state" },
      { title: "attempts", side: "right" },
      { title: "next attempt" },
      { title: "last response", shrinks: true },
    ],
    rows,
    width,
    style,
  );
}
