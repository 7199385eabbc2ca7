/** Fixtures for webhooks: a receiver on loopback, an adjustable clock, and sending until nothing is due. */
import { NewWebhook, verifyWebhook, type CreatedWebhook, type WebhookPayload } from "@kernelbot/core";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import type { Received, Receiver } from "./receiver.ts";
import { openDispatcher } from "@kernelbot/server/src/webhooks/dispatcher.ts";
import { emptyOutbox } from "@kernelbot/server/src/webhooks/outbox.ts";
import { createWebhook } from "@kernelbot/server/src/webhooks/webhooks.ts";

export const PRIVATE = { allowPrivate: true };

/** Registers a webhook, by default for finished submissions, and stores its initial state. */
export async function hooked(
  database: Database,
  identity: Identity,
  receiver: Pick<Receiver, "url">,
  change: Partial<NewWebhook> = {},
): Promise<CreatedWebhook> {
  const webhook = NewWebhook.parse({ url: receiver.url, events: ["submission.finished"], ...change });
  const created = await createWebhook(database, identity, webhook, PRIVATE);
  await emptyOutbox(database, new Date());
  return created;
}

export interface TestClock {
  now: () => Date;
  /** Advances the clock by `ms` milliseconds. */
  pass: (ms: number) => void;
}

export function testClock(): TestClock {
  let passedMs = 0;
  return {
    now: () => new Date(Date.now() + passedMs),
    pass: (ms) => void (passedMs += ms),
  };
}

/** Sends all deliveries that are due. */
export async function delivered(
  database: Database,
  { clock = testClock(), timeoutMs = 10_000 }: { clock?: TestClock; timeoutMs?: number } = {},
): Promise<void> {
  await emptyOutbox(database, clock.now());
  const dispatcher = openDispatcher(database, { ...PRIVATE, clock: clock.now, timeoutMs });
  await dispatcher.start();
  await dispatcher.idle();
}

/** Returns a received payload after verifying its signature at the clock's time. */
export async function opened(
  { secret }: Pick<CreatedWebhook, "secret">,
  received: Received | undefined,
  clock: TestClock = testClock(),
): Promise<WebhookPayload> {
  if (received === undefined) throw new Error("nothing was received");
  const { headers, body } = received;
  return verifyWebhook(secret, new Headers(headers as Record<string, string>), body, clock.now());
}
