import { expect, test } from "vitest";
import type { Scope } from "@kernelbot/core";
import { ann, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { startDeviceGrant, decideDeviceGrant, findPendingGrant, pollDevice } from "./device-grant.ts";
import { authenticate } from "./tokens.ts";

useScene();

function ask(scopes: Scope[] = ["submit", "read"], address = "192.0.2.1") {
  return startDeviceGrant(database, scopes, address);
}

/** Polls as if the interval had passed. */
async function polled(deviceCode: string) {
  await database.sql`update device_code set polled_at = polled_at - interval '1 hour'`;
  return pollDevice(database, deviceCode);
}

test("a device polls, its owner confirms, and it receives its token once", async () => {
  const { deviceCode, userCode } = await ask();
  expect(userCode).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
  expect(await polled(deviceCode)).toEqual({ state: "authorization_pending" });
  const asking = await findPendingGrant(database, ann, ` ${userCode.toLowerCase().replace("-", " ")} `);
  expect(asking).toMatchObject({ userCode, scopes: ["submit", "read"], address: "192.0.2.1" });
  await decideDeviceGrant(database, ann, userCode, true);
  await expect(decideDeviceGrant(database, root, userCode, true)).rejects.toMatchObject({ code: "not_found" });
  const granted = await polled(deviceCode);
  if (granted.state !== "granted") throw new Error(granted.state);
  expect(await authenticate(database, granted.token)).toMatchObject({
    account: ann.account,
    scopes: ["submit", "read"],
  });
  expect(await polled(deviceCode)).toEqual({ state: "expired_token" });
});

test("two concurrent polls get one token", async () => {
  const { deviceCode, userCode } = await ask();
  await decideDeviceGrant(database, ann, userCode, true);
  const states = await Promise.all([1, 2].map(async () => (await pollDevice(database, deviceCode)).state));
  expect(states.toSorted()).toEqual(["expired_token", "granted"]);
});

test("a denied request ends", async () => {
  const { deviceCode, userCode } = await ask();
  await decideDeviceGrant(database, ann, userCode, false);
  expect(await polled(deviceCode)).toEqual({ state: "access_denied" });
  expect(await polled(deviceCode)).toEqual({ state: "expired_token" });
});

test("polling too early increases the interval", async () => {
  const { deviceCode } = await ask();
  await polled(deviceCode);
  expect(await pollDevice(database, deviceCode)).toEqual({ state: "slow_down" });
  const rows = await database.sql`select interval_s from device_code`;
  expect(rows).toEqual([{ interval_s: 10 }]);
});

test("an expired code is unknown to both sides, confirmed or not", async () => {
  const [open, confirmed] = [await ask(), await ask()];
  await decideDeviceGrant(database, ann, confirmed.userCode, true);
  await database.sql`update device_code set expires_at = now()`;
  await expect(findPendingGrant(database, ann, open.userCode)).rejects.toMatchObject({ code: "not_found" });
  expect(await polled(open.deviceCode)).toEqual({ state: "expired_token" });
  expect(await polled(confirmed.deviceCode)).toEqual({ state: "expired_token" });
});

test("cannot grant more than the confirming account's permissions", async () => {
  const { userCode, deviceCode } = await ask(["read", "admin"]);
  await expect(decideDeviceGrant(database, ann, userCode, true)).rejects.toThrow("lacks the scope admin");
  await decideDeviceGrant(database, root, userCode, true);
  expect(await polled(deviceCode)).toMatchObject({ state: "granted", scopes: ["read", "admin"] });
});

test("limits guesses per account, and rejects correct codes after that", async () => {
  const { userCode } = await ask();
  for (let count = 0; count < 20; count += 1) {
    await expect(findPendingGrant(database, ann, `BCDF-GHJ${count}`)).rejects.toMatchObject({ code: "not_found" });
  }
  await expect(findPendingGrant(database, ann, userCode)).rejects.toMatchObject({
    code: "too_many_requests",
    retryAfterS: 600,
  });
  await expect(findPendingGrant(database, root, userCode)).resolves.toMatchObject({ userCode });
});

test("a network can request 20 codes in ten minutes and stores none after that (S15)", async () => {
  const many = await Promise.allSettled(
    Array.from({ length: 30 }, (_, index) => ask(["read"], `2001:db8:0:1::${index}`)),
  );
  expect(many.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
  expect(await database.sql`select 1 from device_code`).toHaveLength(20);
  await expect(ask(["read"], "2001:db8:0:2::1")).resolves.toBeDefined();
});
