import { expect, test } from "vitest";
import { createWaiters } from "./waiting-runners.ts";

/** Returns the names of the places that have been woken. */
async function wokenOf(places: Record<string, { woken: Promise<void> }>): Promise<string[]> {
  const woken: string[] = [];
  for (const [name, place] of Object.entries(places)) void place.woken.then(() => woken.push(name));
  await new Promise(setImmediate);
  return woken;
}

test("one wake-up wakes the first runner in line for its target", async () => {
  const waiters = createWaiters();
  const places = { first: waiters.wait("cpu"), other: waiters.wait("H100"), second: waiters.wait("cpu") };
  waiters.wakeOne("cpu");
  expect(await wokenOf(places)).toEqual(["first"]);
});

test("a runner that is woken and disconnects at the same moment wakes the next", async () => {
  const waiters = createWaiters();
  const places = { first: waiters.wait("cpu"), second: waiters.wait("cpu"), third: waiters.wait("cpu") };
  waiters.wakeOne("cpu");
  places.first.passOn();
  expect(await wokenOf(places)).toEqual(["first", "second"]);
});

test("a runner that disconnects without being woken wakes no other", async () => {
  const waiters = createWaiters();
  const places = { first: waiters.wait("cpu"), second: waiters.wait("cpu") };
  places.first.passOn();
  expect(await wokenOf(places)).toEqual([]);
});
