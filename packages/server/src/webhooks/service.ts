/** Background work on webhooks. Servers share it through the database. */
import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { openCourier, type CourierOptions } from "./dispatcher.ts";
import { forgetOld } from "./deliveries.ts";
import { emptyOutbox } from "./outbox.ts";

const TICK_MS = 1000;
const FORGET_MS = 3_600_000;

/** Starts sending webhooks. @returns a function that stops and aborts current tries, which are repeated. */
export function startWebhooks(database: Database, options: CourierOptions): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const courier = openCourier(database, { ...options, signal });
  let lastForgot = -Infinity;

  async function tick(): Promise<void> {
    try {
      await emptyOutbox(database, new Date());
      await courier.start();
      if (performance.now() - lastForgot < FORGET_MS) return;
      await forgetOld(database.db, new Date());
      lastForgot = performance.now();
    } catch (error) {
      if (!signal.aborted) database.log(`webhooks will be tried again: ${String(error)}`);
    }
  }

  const running = (async () => {
    while (!signal.aborted) {
      await tick();
      // Rejects when stopped; the loop checks the signal.
      await pause(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stopped.abort();
    await running;
    await courier.idle();
  };
}
