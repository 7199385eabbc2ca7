/**
 * Notices a database that has stopped answering without closing its connections, as one does whose machine is frozen or whose
 * network is cut. A slow statement is told from that by a question over a connection of its own.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "./client.ts";

export interface WatchdogOptions {
  /** Makes a client of a new connection. */
  open: () => Client;
  /** Whether anybody waits for an answer. */
  isAsked: () => boolean;
  /** Hears that the database has stopped answering, and that it answers again. */
  onChange: (isSilent: boolean) => void;
  /** How long the database may take to answer the question, in milliseconds. */
  patienceMs: number;
  stopped: AbortSignal;
}

const EVERY_MS = 1000;

/** Watches until it is stopped. */
export async function watchDatabase({ open, isAsked, onChange, patienceMs, stopped }: WatchdogOptions): Promise<void> {
  let isSilent = false;
  for await (const _ of everySecond(stopped)) {
    if (!isSilent && !isAsked()) continue;
    const answers = await answersWithin(open(), patienceMs);
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

/** Whether the database says anything at all: a refusal is an answer, too. */
async function answersWithin(client: Client, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const answer = client.query("select 1").then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
    client.destroy();
  }
}
