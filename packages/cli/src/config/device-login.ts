/** Polling for the user's confirmation of a device code in a browser (RFC 8628, section 3.5). */
import type { Client } from "@kernelbot/api";
import { KernelBotError, type DeviceCode } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

/** Seconds added to the polling interval each time the server responds `slow_down`. */
const SLOWER_S = 5;

/**
 * Polls until the server issues a token.
 * @param sleep pauses for the given number of milliseconds
 * @throws UsageError when the request was denied or has expired
 */
export async function waitForToken(
  client: Pick<Client, "pollDevice">,
  { device_code, interval, expires_in }: DeviceCode,
  sleep: (ms: number) => Promise<unknown>,
): Promise<string> {
  let pauseS = interval;
  let waitedS = 0;
  while (waitedS <= expires_in) {
    await sleep(pauseS * 1000);
    waitedS += pauseS;
    const answer = await poll(client, device_code);
    if ("access_token" in answer) return answer.access_token;
    switch (answer.error) {
      case "authorization_pending":
        break;
      case "slow_down":
        pauseS += SLOWER_S;
        break;
      case "access_denied":
        throw new UsageError("the sign-in was denied in the browser; nothing was stored");
      case "expired_token":
        throw new UsageError("the code has expired; run kernelbot login again");
    }
  }
  throw new UsageError("the code was not confirmed in time; run kernelbot login again");
}

/** Polls once. An unavailable server counts as a pending authorization, so polling continues. */
async function poll(client: Pick<Client, "pollDevice">, code: string): ReturnType<Client["pollDevice"]> {
  try {
    return await client.pollDevice(code);
  } catch (error) {
    if (!(error instanceof KernelBotError && error.code === "unavailable")) throw error;
    return { error: "authorization_pending", detail: error.message, code: error.code };
  }
}
