/**
 * Detects a database that stops answering without closing its connections, because its machine is frozen or the network
 * is cut. A probe over a separate connection distinguishes that from a slow statement.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "./client.ts";
import { setResponsiveTimeout } from "./responsive-timer.ts";

interface WatchdogOptions {
  /** Makes a client of a new connection. */
  open: () => Client;
  /** Returns whether any statement is pending. */
  isAsked: () => boolean;
  /** Called when the database stops answering (true) and when it answers again (false). */
  onChange: (isSilent: boolean) => void;
  /** Maximum time for the answer to the probe, in milliseconds in which this process could have read it. */
  patienceMs: number;
  stopped: AbortSignal;
}

const EVERY_MS = 1000;

/** Watches the database until `stopped` is aborted. */
export async function watchDatabase({ open, isAsked, onChange, patienceMs, stopped }: WatchdogOptions): Promise<void> {
  let isSilent = false;
  for await (const _ of everySecond(stopped)) {
    if (!isSilent && !isAsked()) continue;
    const answers = await respondsWithin(open(), patienceMs);
    if (answers !== isSilent || stopped.aborted) continue;
    isSilent = !answers;
    onChange(isSilent);
  }
}

async function* everySecond(stopped: AbortSignal): AsyncGenerator<void> {
  while (!stopped.aborted) {
    await pause(EVERY_MS, undefined, { signal: stopped, ref: false }).catch(() => undefined);
    yield;
  }
}

/** Returns whether the database answers at all; an error counts as an answer. */
async function respondsWithin(client: Client, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const cancel = setResponsiveTimeout(() => late.resolve(false), ms);
  const answer = client.query("select 1").then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    cancel();
    client.destroy();
  }
}
