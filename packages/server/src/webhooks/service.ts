/** Background work on webhooks. Servers share it through the database. */
import type { Database } from "../db/database.ts";
import { startPeriodicJobs } from "../jobs/periodic.ts";
import { deleteOldDeliveries } from "./deliveries.ts";
import { openDispatcher, type DispatcherOptions } from "./dispatcher.ts";
import { emptyOutbox } from "./outbox.ts";

const FORGET_MS = 3_600_000;

/** Starts sending webhooks. @returns a function that stops and aborts current tries, which are repeated. */
export function startWebhooks(database: Database, options: DispatcherOptions): () => Promise<void> {
  const stopped = new AbortController();
  const dispatcher = openDispatcher(database, { ...options, signal: stopped.signal });
  const jobs = startPeriodicJobs(database, [
    { name: "empty the webhook outbox", everyMs: 0, run: () => emptyOutbox(database, new Date()) },
    { name: "send webhooks", everyMs: 0, run: () => dispatcher.start() },
    {
      name: "delete old webhook deliveries",
      everyMs: FORGET_MS,
      run: () => deleteOldDeliveries(database.db, new Date()),
    },
  ]);
  return async () => {
    stopped.abort();
    await jobs.stop();
    await dispatcher.idle();
  };
}
