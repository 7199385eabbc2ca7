import { expect, test } from "vitest";
import { SessionPlaces } from "./session-places.ts";

test("connections without a token fill the places of their network only", () => {
  const places = new SessionPlaces(2);
  const connections = Array.from({ length: 64 }, () => places.take("a"));
  expect(connections).not.toContain(null);
  expect(places.take("a")).toBeNull();
  const place = places.take("b");
  expect([place?.identify(), place?.identify(), places.open]).toEqual([true, true, 1]);
  const known = places.take(null);
  expect([known?.identify(), places.open]).toEqual([true, 2]);
  known?.free();
  connections[0]?.free();
  connections[0]?.free();
  expect(places.take("a")).not.toBeNull();
  expect(places.take("a")).toBeNull();
});

test("a session is refused when all places are taken, and a freed place is given again", () => {
  const places = new SessionPlaces(1);
  const [first, second] = [places.take("a"), places.take("a")];
  expect([first?.identify(), second?.identify(), places.open]).toEqual([true, false, 1]);
  expect(places.take("a")).toBeNull();
  first?.free();
  second?.free();
  expect(places.open).toBe(0);
  expect(places.take("a")?.identify()).toBe(true);
});
