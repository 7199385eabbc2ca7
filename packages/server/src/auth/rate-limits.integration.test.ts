import { expect, test } from "vitest";
import { database, useScene } from "@kernelbot/testing/scene.ts";
import { networkOf, throttle } from "./rate-limits.ts";

useScene();

const LIMIT = { times: 3, windowS: 60, what: "to knock" };

test("counts per key and resets after the window", async () => {
  for (let count = 0; count < 3; count += 1) await throttle(database, "knock", "a", LIMIT);
  await expect(throttle(database, "knock", "a", LIMIT)).rejects.toThrow("too many tries to knock; wait 1 minutes");
  await throttle(database, "knock", "b", LIMIT);
  await throttle(database, "ring", "a", LIMIT);
  await database.sql`update throttle set since = since - interval '61 seconds'`;
  await throttle(database, "knock", "a", LIMIT);
});

test("counts concurrent attempts", async () => {
  const tries = await Promise.allSettled(Array.from({ length: 10 }, () => throttle(database, "knock", "a", LIMIT)));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
});

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::6", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("%s belongs to the network %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
