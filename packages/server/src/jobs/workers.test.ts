import { expect, test, vi } from "vitest";
import { openWorkers, type Work } from "./workers.ts";

/** Rows to be claimed one after another. */
function workOn(rows: number[], change: Partial<Work<number>> = {}) {
  const log: string[] = [];
  const done: number[] = [];
  const workers = openWorkers<number>({
    name: "work",
    slots: 2,
    slowMs: 1000,
    claim: () => Promise.resolve(rows.shift()),
    work: async (row) => void done.push(row),
    signal: new AbortController().signal,
    log: (line) => void log.push(line),
    ...change,
  });
  return { workers, log, done };
}

test("workers claim one row after another until none is due", async () => {
  const { workers, done } = workOn([1, 2, 3, 4, 5]);
  await workers.start();
  await workers.idle();
  expect(done).toEqual([1, 2, 3, 4, 5]);
});

test("no more rows are claimed than there are slots", async () => {
  const gate = Promise.withResolvers<undefined>();
  const rows = [1, 2, 3];
  const { workers } = workOn(rows, {
    work: async () => {
      await gate.promise;
    },
  });
  await workers.start();
  expect(rows).toEqual([3]);
  gate.resolve(undefined);
  await workers.idle();
  expect(rows).toEqual([]);
});

test("a failure of one row is logged, and the other rows are worked on", async () => {
  const done: number[] = [];
  const { workers, log } = workOn([1, 2, 3], {
    work: async (row) => {
      if (row === 1) throw new Error("broken");
      done.push(row);
    },
  });
  await workers.start();
  await workers.idle();
  expect(done).toEqual([2, 3]);
  expect(log).toEqual(["work failed, retrying after the lease expires: Error: broken"]);
});

test("a stopped worker ends after its current row", async () => {
  const stopped = new AbortController();
  const rows = [1, 2, 3];
  const { workers } = workOn(rows, { slots: 1, signal: stopped.signal, work: async () => stopped.abort() });
  await workers.start();
  await workers.idle();
  expect(rows).toEqual([2, 3]);
});

test("work that takes too long is logged while it is running", async () => {
  vi.useFakeTimers();
  try {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const { workers, log } = workOn([1], {
      work: async () => {
        await promise;
      },
    });
    await workers.start();
    vi.advanceTimersByTime(1000);
    expect(log).toEqual(["work has been running for 1 s"]);
    resolve(undefined);
    await workers.idle();
  } finally {
    vi.useRealTimers();
  }
});
