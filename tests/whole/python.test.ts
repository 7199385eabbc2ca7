import { expect, test } from "vitest";
import { passes, TIMEOUT_MS } from "./script.ts";

test("the tester's tests in Python pass", { timeout: TIMEOUT_MS }, async () => {
  const told = /^Ran [1-9]\d* tests in .*$/m.exec(await passes("test-python.ts"))?.[0];
  expect(told).toBeDefined();
  console.log(told);
});
