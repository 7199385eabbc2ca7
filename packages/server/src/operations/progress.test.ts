import { formatBytes } from "@kernelbot/core";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openProgress } from "./progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a step that takes long is logged once while it runs, and short ones are not", () => {
  const logged: string[] = [];
  {
    using progress = openProgress((line) => logged.push(line));
    progress.begin("table 1 of 2, run");
    vi.advanceTimersByTime(1000);
    progress.begin("key 1 of 9, of run");
    vi.advanceTimersByTime(60_000);
    expect(logged).toEqual(["key 1 of 9, of run"]);
    progress.begin("table 2 of 2, code");
    progress.add(2048);
    vi.advanceTimersByTime(2000);
    progress.begin("last");
  }
  vi.advanceTimersByTime(60_000);
  expect(logged).toEqual(["key 1 of 9, of run", `table 2 of 2, code: ${formatBytes(2048)}`]);
});

test("an aborted operation ends at its next step", () => {
  using progress = openProgress(() => undefined, AbortSignal.abort(new Error("stopping")));
  expect(() => progress.begin("next")).toThrow("stopping");
});
