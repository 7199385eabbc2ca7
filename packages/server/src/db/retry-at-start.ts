import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "./log.ts";
import { dispositionOf } from "./retry.ts";

const RETRY_MS = 1000;

/**
 * Executes a step of a server's start, and executes it again while the database is unavailable: a slow or restarting
 * database delays the start and does not end it.
 * @param step May be executed twice.
 * @throws the error of the step when `waiting` is aborted; any other error at once.
 */
export async function retryAtStart<T>(step: () => Promise<T>, log: Log, waiting: AbortSignal): Promise<T> {
  let logged = "";
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (dispositionOf(error) === "fault" || waiting.aborted) throw error;
      const { message } = error as Error;
      if (message !== logged) log(`waiting for the database: ${message}`);
      logged = message;
      await pause(RETRY_MS, undefined, { signal: waiting }).catch(() => undefined);
    }
  }
}
