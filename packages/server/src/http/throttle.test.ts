import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { throttleCalls } from "./throttle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("runs the first call immediately, and merges calls during the pause into one at its end", () => {
  const act = vi.fn();
  const rare = throttleCalls(act, () => 1_000);
  for (let calls = 0; calls < 5; calls += 1) rare.call();
  expect(act).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(999);
  expect(act).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(act).toHaveBeenCalledTimes(2);
  rare.call();
  vi.advanceTimersByTime(1_000);
  expect(act).toHaveBeenCalledTimes(3);
});

test("runs the next call immediately after an idle pause", () => {
  const act = vi.fn();
  const rare = throttleCalls(act, () => 1_000);
  rare.call();
  vi.advanceTimersByTime(1_000);
  rare.call();
  expect(act).toHaveBeenCalledTimes(2);
});

test("cancels pending calls at the end", () => {
  const act = vi.fn();
  const rare = throttleCalls(act, () => 1_000);
  rare.call();
  rare.call();
  rare.end();
  vi.advanceTimersByTime(5_000);
  expect(act).toHaveBeenCalledTimes(1);
});
