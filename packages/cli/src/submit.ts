import { setTimeout as sleep } from "node:timers/promises";
import { allowanceText, KernelBotError, type Client, type Submission, type SubmitRequest } from "@kernelbot/core";

/** Pauses between tries while a server restarts; the client itself tries a few times in each. ms. */
const PAUSES_MS = [500, 1000, 2000, 4000];

/**
 * Hands in a file under one idempotency key, however often it has to be sent: an answer that was lost on its way makes
 * no second submission.
 * @param onWait called once, before the first pause
 */
export async function submitPatiently(client: Client, request: SubmitRequest, onWait: () => void): Promise<Submission> {
  const idempotencyKey = crypto.randomUUID();
  return patiently(() => client.submit(request, { idempotencyKey }), onWait);
}

/** What is left of each limit, in sentences; none where the server does not say, which is no reason to fail. */
export async function leftAfter(client: Client, { board, mode }: Submission): Promise<string[]> {
  const { own } = await client.limits(board).catch(() => ({ own: null }));
  return (own ?? []).filter((allowance) => allowance.mode === mode).map((allowance) => `${allowanceText(allowance)}.`);
}

/** Sends what may be sent again, until the server is there. */
export async function patiently<T>(send: () => Promise<T>, onWait: () => void): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const pause = PAUSES_MS[tries];
      if (!(error instanceof KernelBotError && error.code === "unavailable") || pause === undefined) throw error;
      if (tries === 0) onWait();
      await sleep(pause);
    }
  }
}
