import { expect, test } from "vitest";
import { KernelBotError, type DeviceError } from "@kernelbot/core";
import { waitForToken } from "./device-login.ts";

const CODE = { device_code: "d", user_code: "u", verification_uri: "v", expires_in: 60, interval: 5 };
const TOKEN = { access_token: "kb_x", token_type: "Bearer" as const, scope: "read", expires_in: 1 };

type Answer = DeviceError["error"] | "away" | "token";

/** Polls with these answers. Returns the result and the pauses between polls, in seconds. */
async function waited(answers: Answer[]) {
  const pauses: number[] = [];
  const pollDevice = async () => {
    const answer = answers.shift() ?? "authorization_pending";
    if (answer === "away") throw new KernelBotError("unavailable", "it restarts");
    return answer === "token" ? TOKEN : { error: answer, detail: "", code: "bad_request" };
  };
  const outcome = waitForToken({ pollDevice }, CODE, async (ms) => void pauses.push(ms / 1000));
  return { outcome: await outcome.catch((error: unknown) => (error as Error).message), pauses };
}

test("polls at the server's interval, slows down on request, and returns the token", async () => {
  expect(await waited(["authorization_pending", "slow_down", "authorization_pending", "token"])).toEqual({
    outcome: "kb_x",
    pauses: [5, 5, 10, 10],
  });
});

test("slowing down does not shorten the time to confirm the code", async () => {
  const { pauses } = await waited(["slow_down", "slow_down", "slow_down"]);
  expect(pauses).toEqual([5, 10, 15, 20, 20]);
});

test("polling continues while the server is unavailable", async () => {
  expect((await waited(["away", "token"])).outcome).toBe("kb_x");
});

test("denied, expired and unconfirmed codes have different messages", async () => {
  expect((await waited(["access_denied"])).outcome).toMatch(/denied in the browser/);
  expect((await waited(["expired_token"])).outcome).toMatch(/expired/);
  const never = await waited([]);
  expect(never.outcome).toMatch(/was not confirmed in time/);
  expect(never.pauses).toHaveLength(13);
});
