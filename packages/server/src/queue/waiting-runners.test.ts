import { expect, test } from "vitest";
import { createWaiters } from "./waiting-runners.ts";

/** Returns the names of the places that have been woken. */
async function wokenOf(places: Record<string, { woken: Promise<void> }>): Promise<string[]> {
  const woken: string[] = [];
  for (const [name, place] of Object.entries(places)) void place.woken.then(() => woken.push(name));
  await new Promise(setImmediate);
  return woken;
}

test("one wake-up wakes the first in the line of its target", async () => {
  const waiters = createWaiters();
  const places = { first: waiters.wait("cpu"), other: waiters.wait("H100"), second: waiters.wait("cpu") };
  waiters.wakeOne("cpu");
  expect(await wokenOf(places)).toEqual(["first"]);
});

test("whoever is woken and hangs up in the same moment wakes the next", async () => {
  const waiters = createWaiters();
  const places = { first: waiters.wait("cpu"), second: waiters.wait("cpu"), third: waiters.wait("cpu") };
  waiters.wakeOne("cpu");
  places.first.passOn();
  expect(await wokenOf(places)).toEqual(["first", "second"]);
});

test("whoever hangs up without having been woken wakes nobody", async () => {
  const waiters = createWaiters();
  const places = { first: waiters.wait("cpu"), second: waiters.wait("cpu") };
  places.first.passOn();
  expect(await wokenOf(places)).toEqual([]);
});
