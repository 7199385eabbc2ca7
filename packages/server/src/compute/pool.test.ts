import { expect, onTestFinished, test } from "vitest";
import { createPool, type Pool, type PoolOptions } from "./pool.ts";

const OPTIONS: PoolOptions = { threads: 1, queueLimit: 2, timeLimitMs: 60_000, heapMb: 512 };

function pool(options: Partial<PoolOptions> = {}): Pool {
  const made = createPool({ ...OPTIONS, ...options });
  onTestFinished(() => made.close());
  return made;
}

const SMALL = { source: "x = 1\n", fileName: "kernel.py" };

test("one thread runs one task after the other, and what a task throws leaves it usable", async () => {
  const { run } = pool();
  const first = await run("fingerprints", SMALL);
  expect(first.length).toBeGreaterThan(0);
  const notUtf8 = run("json", Uint8Array.of(0x22, 0xff, 0x22));
  await expect(notUtf8).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringMatching(/UTF-8/) as string,
  });
  expect(await run("fingerprints", SMALL)).toEqual(first);
});

test("a task too many is refused at once, with the time after which to try again", async () => {
  const { run } = pool({ queueLimit: 1 });
  const taken = [run("fingerprints", SMALL), run("fingerprints", SMALL)];
  await expect(run("fingerprints", SMALL)).rejects.toMatchObject({ code: "unavailable", retryAfterS: 5 });
  expect(await Promise.all(taken)).toHaveLength(2);
});

test("a task that exceeds its time is stopped, and the next one gets another thread", async () => {
  const { run } = pool({ timeLimitMs: 1 });
  const late = { code: "unavailable", message: expect.stringMatching(/^fingerprints took longer than/) as string };
  await expect(run("fingerprints", SMALL)).rejects.toMatchObject(late);
  await expect(run("fingerprints", SMALL)).rejects.toMatchObject(late);
});

test("a pool that closes refuses what waits and what runs", async () => {
  const closing = pool();
  const refused = [closing.run("fingerprints", SMALL), closing.run("fingerprints", SMALL)].map((run) =>
    expect(run).rejects.toMatchObject({ code: "unavailable" }),
  );
  await closing.close();
  await Promise.all(refused);
});
