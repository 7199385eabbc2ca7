import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { createPool, type Pool, type PoolOptions } from "./pool.ts";

const OPTIONS: PoolOptions = { threads: 1, queueLimit: 2, timeLimitMs: 60_000, heapMb: 512, idleMs: 60_000 };

function pool(options: Partial<PoolOptions> = {}): Pool {
  const made = createPool({ ...OPTIONS, ...options });
  onTestFinished(() => made.close());
  return made;
}

const SMALL = { source: "x = 1\n", fileName: "kernel.py" };

test("a thread runs tasks one after the other, and survives a task's error", async () => {
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

test("rejects a task immediately when the queue is full, with a retry time", async () => {
  const { run } = pool({ queueLimit: 1 });
  const taken = [run("fingerprints", SMALL), run("fingerprints", SMALL)];
  await expect(run("fingerprints", SMALL)).rejects.toMatchObject({ code: "unavailable", retryAfterS: 5 });
  expect(await Promise.all(taken)).toHaveLength(2);
});

test("stops a task after its timeout, and gives the next one a new thread", async () => {
  const { run } = pool({ timeLimitMs: 1 });
  const late = { code: "unavailable", message: expect.stringMatching(/^fingerprints took longer than/) as string };
  await expect(run("fingerprints", SMALL)).rejects.toMatchObject(late);
  await expect(run("fingerprints", SMALL)).rejects.toMatchObject(late);
});

test("an idle thread ends, and the next task gets a new one", async () => {
  const terminate = vi.spyOn(Worker.prototype, "terminate");
  onTestFinished(() => terminate.mockRestore());
  const { run } = pool({ idleMs: 1 });
  const first = await run("fingerprints", SMALL);
  await expect.poll(() => terminate).toHaveBeenCalledOnce();
  expect(await run("fingerprints", SMALL)).toEqual(first);
});

test("closing rejects queued and running tasks", async () => {
  const closing = pool();
  const refused = [closing.run("fingerprints", SMALL), closing.run("fingerprints", SMALL)].map((run) =>
    expect(run).rejects.toMatchObject({ code: "unavailable" }),
  );
  await closing.close();
  await Promise.all(refused);
});
