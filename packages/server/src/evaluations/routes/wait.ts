/** Waits for the result of an evaluation. */
import type { Evaluation } from "@kernelbot/core";
import type { Identity } from "../../auth/identity.ts";
import { waitUntil } from "../../http/long-poll.ts";
import type { Services } from "../../services.ts";
import { readEvaluation } from "../read.ts";

/**
 * Returns an evaluation of the caller once it has ended; after `waitMs`, or when the signal is aborted or the server
 * stops, as far as it is known.
 * @throws KernelBotError `not_found`.
 */
export function waitForEvaluation(
  { database, hub, closing }: Pick<Services, "database" | "hub" | "closing">,
  identity: Identity,
  id: number,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<Evaluation> {
  return waitUntil(() => readEvaluation(database, identity, id), hasEnded, {
    subscribe: (wake) => hub.subscribe(`evaluation ${id}`, wake),
    waitMs,
    signal: AbortSignal.any([closing, signal]),
  });
}

/** Returns whether an evaluation is done, cancelled or expired. */
export function hasEnded({ state }: Evaluation): boolean {
  return state !== "queued" && state !== "running";
}
