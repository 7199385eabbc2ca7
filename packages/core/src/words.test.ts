import { expect, test } from "vitest";
import { NEXT_STATES, RUN_STATES, isFinal } from "./words.ts";

test("a run that is done or cancelled never changes again", () => {
  expect(RUN_STATES.filter(isFinal)).toEqual(["done", "cancelled"]);
});

test("a run whose lease was lost may go back to the queue", () => {
  expect(NEXT_STATES.running).toContain("queued");
});
