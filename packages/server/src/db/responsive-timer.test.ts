import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setResponsiveTimeout } from "./responsive-timer.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("time in which the event loop was blocked does not count", async () => {
  const act = vi.fn();
  setResponsiveTimeout(act, 800);
  // The loop is blocked for a minute; one of eight waits has ended meanwhile.
  vi.setSystemTime(Date.now() + 60_000);
  await vi.advanceTimersByTimeAsync(100);
  expect(act).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(699);
  expect(act).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2);
  expect(act).toHaveBeenCalledOnce();
});

test("a cancelled timeout does not act", async () => {
  const act = vi.fn();
  const cancel = setResponsiveTimeout(act, 800);
  await vi.advanceTimersByTimeAsync(700);
  cancel();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(act).not.toHaveBeenCalled();
});
