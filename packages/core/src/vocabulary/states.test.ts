import { expect, test } from "vitest";
import { MODES, NEXT_STATES, RUN_STATES, STAGES_OF_MODE, isFinal, formatVerdict } from "./states.ts";

test("a run that is done or cancelled has no further state", () => {
  expect(RUN_STATES.filter(isFinal)).toEqual(["done", "cancelled"]);
});

test("a run whose lease expired may be requeued", () => {
  expect(NEXT_STATES.running).toContain("queued");
});

test("a verdict is formatted with its failure class, and an infrastructure error as not judged", () => {
  expect(formatVerdict("failed", "wrong_result")).toBe("failed: wrong result");
  expect(formatVerdict("infra_error", null)).toBe("not judged");
});

test("every mode starts with prepare, and only ranked has the stage ranked", () => {
  for (const mode of MODES) expect(STAGES_OF_MODE[mode][0]).toBe("prepare");
  expect(MODES.filter((mode) => (STAGES_OF_MODE[mode] as readonly string[]).includes("ranked"))).toEqual(["ranked"]);
  expect(STAGES_OF_MODE.profile).toEqual(["prepare", "profile"]);
});
