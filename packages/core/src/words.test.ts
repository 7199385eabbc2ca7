import { expect, test } from "vitest";
import { NEXT_STATES, RUN_STATES, isFinal, verdictWords } from "./words.ts";

test("a run that is done or cancelled never changes again", () => {
  expect(RUN_STATES.filter(isFinal)).toEqual(["done", "cancelled"]);
});

test("a run whose lease was lost may go back to the queue", () => {
  expect(NEXT_STATES.running).toContain("queued");
});

test("a verdict is told with its class of failure, and the platform's failure is no verdict on the kernel", () => {
  expect(verdictWords("failed", "wrong_result")).toBe("failed: wrong result");
  expect(verdictWords("infra_error", null)).toBe("not judged");
});
