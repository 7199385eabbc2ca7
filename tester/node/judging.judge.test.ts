import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Job, JudgeEvent } from "@kernelbot/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadProblemDirectory, startTester, type Tester } from "./index.ts";
import { isAlive, processTree } from "./kill-tree.ts";

const PROBLEMS = join(import.meta.dirname, "../../problems/pmpp");
const VECTORADD = join(PROBLEMS, "vectoradd");
const ENDLESS = "def custom_kernel(data):\n    while True:\n        pass\n";

/**
 * Number of processes of an idle tester: host, two of Bubblewrap, zygote, the next judge, the one that keeps a core awake,
 * and two of each prepared cell.
 */
const IDLE = 6 + 2 * 3;

let tester: Tester;
beforeAll(async () => {
  tester = await startTester();
});
afterAll(() => tester.close());

async function job(source: string): Promise<Job> {
  const problem = await loadProblemDirectory(VECTORADD);
  return { type: "run", id: "1.1", mode: "test", target: "cpu", problem, source };
}

test("the tester judges what the Node side hands it, and every line is as core says", async () => {
  const source = await readFile(join(VECTORADD, "solutions/correct.py"), "utf8");
  const events: JudgeEvent[] = [];
  const verdict = await tester.run(await job(source), (event) => events.push(event));
  expect(verdict).toMatchObject({ verdict: "passed", failureClass: null });
  expect(events.filter((event) => event.type === "stage_finished").map((event) => event.stage)).toEqual([
    "prepare",
    "test",
  ]);
});

test("a cancelled endless loop is gone, and the same tester judges the next", async () => {
  const pid = tester.pid ?? 0;
  const abort = new AbortController();
  const run = tester.run(await job(ENDLESS), (event) => abortOnTest(event, abort), abort.signal);
  await expect(run).rejects.toThrow("enough");
  await expect.poll(() => processTree(pid).length).toBe(IDLE);
  expect((await tester.run(await job("def custom_kernel(data): return data[0]"), () => undefined)).verdict).toBe(
    "failed",
  );
  expect(tester.pid).toBe(pid);
});

test("closed in the middle of a run, nothing of it is left", async () => {
  const other = await startTester();
  let pids: number[] = [];
  const run = other.run(await job(ENDLESS), (event) => {
    if (event.type !== "stage_started" || event.stage !== "test") return;
    pids = processTree(other.pid ?? 0);
    void other.close();
  });
  await expect(run).rejects.toThrow("the tester was closed");
  await other.close();
  expect(pids.length).toBeGreaterThan(2);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

// Without time to leave its core, a stopped worker seemed to run in every twentieth call.
test("a correct kernel passes ranked runs beside four busy processes", async () => {
  const problem = await loadProblemDirectory(join(PROBLEMS, "histogram"));
  const source = await readFile(join(PROBLEMS, "histogram/solutions/correct.py"), "utf8");
  const busy = Array.from({ length: 4 }, () => spawn(process.execPath, ["-e", "for (;;);"]));
  try {
    for (const id of ["1.1", "2.1"]) {
      const ranked: Job = { type: "run", id, mode: "ranked", target: "cpu", problem, source };
      expect(await tester.run(ranked, () => undefined)).toMatchObject({ verdict: "passed", message: null });
    }
  } finally {
    for (const each of busy) each.kill();
  }
});

test("killed from outside, the tester takes its judge, zygote and worker along", async () => {
  let pids: number[] = [];
  const run = tester.run(await job(ENDLESS), (event) => {
    if (event.type !== "stage_started" || event.stage !== "test") return;
    pids = processTree(tester.pid ?? 0);
    process.kill(tester.pid ?? 0, "SIGKILL");
  });
  await expect(run).rejects.toThrow("the tester ended unexpectedly (SIGKILL)");
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

function abortOnTest(event: JudgeEvent, abort: AbortController): void {
  if (event.type === "stage_started" && event.stage === "test") abort.abort(new Error("enough"));
}
