import { KernelBotError } from "@kernelbot/core";
import { expect, test } from "vitest";
import { exitOfRuns, failureOf, Interrupted, UsageError } from "./exit.ts";

const PASSED = { state: "done", verdict: "passed" } as const;
const FAILED = { state: "done", verdict: "failed" } as const;
const INFRA = { state: "done", verdict: "infra_error" } as const;

test("several runs exit with what the kernel did before what the platform failed to do", () => {
  expect(exitOfRuns([PASSED, PASSED])).toBe(0);
  expect(exitOfRuns([PASSED, FAILED, INFRA])).toBe(1);
  expect(exitOfRuns([PASSED, INFRA])).toBe(3);
  expect(exitOfRuns([PASSED, { state: "cancelled", verdict: null }])).toBe(1);
});

test.each([
  [new UsageError("x"), 2, "usage"],
  [new Interrupted("x"), 130, "interrupted"],
  [new KernelBotError("not_found", "x"), 2, "not_found"],
  [new KernelBotError("too_many_requests", "x"), 2, "too_many_requests"],
  [new KernelBotError("unavailable", "x"), 3, "unavailable"],
  [new Error("x"), 3, "internal"],
])("%s has its exit code", (error, exit, code) => {
  expect(failureOf(error)).toEqual({ exit, code, message: "x" });
});
