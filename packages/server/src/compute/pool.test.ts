import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { createPool, type Pool, type PoolOptions } from "./pool.ts";

const OPTIONS: PoolOptions = { threads: 1, queueLimit: 2, processorMs: 60_000, heapMb: 512, idleMs: 60_000 };

function pool(options: Partial<PoolOptions> = {}): Pool {
  const made = createPool({ ...OPTIONS, ...options });
  onTestFinished(() => made.close());
  return made;
}

const SMALL = { source: "x = 1\n", fileName: "kernel.py" };
/** Takes some seconds. */
const LARGE = {
  source: Array.from({ length: 600_000 }, (_, n) => `x_${n} = ${n}\n`).join(""),
  fileName: "kernel.py",
};

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

test("a task that needs more processor time than its limit is stopped, and the next one finds a started thread", async () => {
  const { run } = pool({ processorMs: 50 });
  const late = {
    code: "unavailable",
    message: 'the computation "fingerprints" needed more than 0.05 s of processor time and was stopped',
  };
  await expect(run("fingerprints", LARGE)).rejects.toMatchObject(late);
  await expect(run("fingerprints", LARGE)).rejects.toMatchObject(late);
});

test("the start of a thread and the wait for a processor do not count against a task's limit", async () => {
  const { run } = pool({ processorMs: 100 });
  expect((await run("fingerprints", SMALL)).length).toBeGreaterThan(0);
});

test("an idle thread ends, but the last one stays for the next task", async () => {
  const terminate = vi.spyOn(Worker.prototype, "terminate");
  onTestFinished(() => terminate.mockRestore());
  const { run } = pool({ threads: 2, idleMs: 1 });
  await Promise.all([run("fingerprints", SMALL), run("fingerprints", SMALL)]);
  await expect.poll(() => terminate).toHaveBeenCalledOnce();
  expect(await run("fingerprints", SMALL)).not.toEqual([]);
  expect(terminate).toHaveBeenCalledOnce();
});

test("a thread that was warmed up before the first task runs it", async () => {
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  onTestFinished(() => posted.mockRestore());
  const { run, warmUp } = pool();
  warmUp();
  await run("fingerprints", SMALL);
  await run("fingerprints", SMALL);
  expect(new Set(posted.mock.contexts).size).toBe(1);
});

test("closing rejects queued and running tasks", async () => {
  const closing = pool();
  const refused = [closing.run("fingerprints", SMALL), closing.run("fingerprints", SMALL)].map((run) =>
    expect(run).rejects.toMatchObject({ code: "unavailable" }),
  );
  await closing.close();
  await Promise.all(refused);
});
