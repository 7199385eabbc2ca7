import { expect, test, vi } from "vitest";
import { coalesce } from "./coalesce.ts";

/** Creates reads that end when the test ends them; each returns its number. */
function controlled() {
  const ends: (() => void)[] = [];
  const read = coalesce(
    (key: string) =>
      new Promise<string>((resolve) => {
        const number = ends.length + 1;
        ends.push(() => resolve(`${key}${number}`));
      }),
  );
  return { read, ends };
}

test("calls during a read share the next one, which starts after them", async () => {
  const { read, ends } = controlled();
  const first = read("a");
  const late = [read("a"), read("a"), read("a")];
  expect(ends).toHaveLength(1);
  ends[0]?.();
  expect(await first).toBe("a1");
  await Promise.resolve();
  expect(ends).toHaveLength(2);
  const later = read("a");
  ends[1]?.();
  expect(await Promise.all(late)).toEqual(["a2", "a2", "a2"]);
  await Promise.resolve();
  ends[2]?.();
  expect(await later).toBe("a3");
});

test("a call without a running read starts a new one", async () => {
  const { read, ends } = controlled();
  const first = read("a");
  ends[0]?.();
  await first;
  const second = read("a");
  ends[1]?.();
  expect(await second).toBe("a2");
});

test("reads different keys concurrently", () => {
  const { read, ends } = controlled();
  void read("a");
  void read("b");
  expect(ends).toHaveLength(2);
});

test("a failed read fails only the calls that shared it", async () => {
  let reads = 0;
  const read = coalesce(async (key: string) => {
    reads += 1;
    if (reads === 1) throw new Error(`the first read of ${key} fails`);
    return reads;
  });
  const first = read("a");
  const second = read("a");
  await expect(first).rejects.toThrow("the first read of a fails");
  expect(await second).toBe(2);
});

test("a value is kept for as long as keptMs says", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    let reads = 0;
    const read = coalesce(
      (_: string) => Promise.resolve(++reads),
      undefined,
      (value) => (value === 2 ? 1000 : 0),
    );
    expect([await read("a"), await read("a")]).toEqual([1, 2]);
    vi.advanceTimersByTime(999);
    expect([await read("a"), await read("b")]).toEqual([2, 3]);
    vi.advanceTimersByTime(1);
    expect(await read("a")).toBe(4);
  } finally {
    vi.useRealTimers();
  }
});
