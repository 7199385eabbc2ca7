import { expect, test, vi } from "vitest";
import { testDatabase } from "@kernelbot/testing/database.ts";
import { runJob, startPeriodicJobs } from "./periodic.ts";

test("a job that fails is logged and tried again, and does not stop the others", async () => {
  await using database = await testDatabase();
  const lines: string[] = [];
  let fails = 0;
  let runs = 0;
  const jobs = startPeriodicJobs({ ...database, log: (line) => void lines.push(line) }, [
    {
      name: "fail",
      everyMs: 0,
      run: async () => {
        fails += 1;
        throw new Error("broken");
      },
    },
    { name: "run", everyMs: 0, run: async () => void (runs += 1) },
  ]);
  await expect.poll(() => runs).toBeGreaterThan(0);
  jobs.wake();
  await expect.poll(() => fails).toBeGreaterThan(1);
  await jobs.stop();
  expect(lines[0]).toBe("background job failed and will be retried: fail: Error: broken");
});

test("a job that keeps the others waiting is logged while it is running", async () => {
  await using database = await testDatabase();
  const lines: string[] = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  vi.useFakeTimers();
  try {
    const log = (line: string) => void lines.push(line);
    const job = { name: "hang", everyMs: 0, run: () => promise };
    const running = runJob({ ...database, log }, job, new AbortController().signal);
    vi.advanceTimersByTime(60_000);
    expect(lines).toEqual(["background job has been running for 60 s, and delays the others: hang"]);
    resolve(undefined);
    await running;
  } finally {
    vi.useRealTimers();
  }
});
