import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { calm } from "./throttle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the first call goes through at once, and those of the pause after it as one at its end", () => {
  const act = vi.fn();
  const rare = calm(act, () => 1_000);
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

test("after a pause in which nobody called the next one goes through at once", () => {
  const act = vi.fn();
  const rare = calm(act, () => 1_000);
  rare.call();
  vi.advanceTimersByTime(1_000);
  rare.call();
  expect(act).toHaveBeenCalledTimes(2);
});

test("once it has ended nothing goes through that waited", () => {
  const act = vi.fn();
  const rare = calm(act, () => 1_000);
  rare.call();
  rare.call();
  rare.end();
  vi.advanceTimersByTime(5_000);
  expect(act).toHaveBeenCalledTimes(1);
});
