import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Application, type Job, type JudgeEvent, parseProblem } from "@kernelbot/core";
import { afterAll, afterEach, expect, test } from "vitest";
import { isAlive, processTree } from "./kill-tree.ts";
import { startTester, type Tester, type TesterOptions } from "./tester.ts";

const FAKE = join(import.meta.dirname, "fake-tester.mjs");
const problem = parseProblem("nothing", {
  "task.yml": "{ description: d, tests: [{ n: 1 }], benchmarks: [{ n: 1 }], gpus: [cpu] }",
  "reference.py": "",
});
problem.spec.timeoutsS = { prepare: 0.05, test: 0.05, benchmark: 0.05, ranked: 0.05, profile: 0.05 };
const job = (source: string): Job => ({ type: "run", id: "17.1", mode: "test", target: "cpu", problem, source });

const folder = mkdtempSync(join(tmpdir(), "kernelbot-tester-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes an executable shell script. */
function script(text: string): string {
  const path = join(folder, `${randomUUID()}.sh`);
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

let tester: Tester;
afterEach(async () => {
  await tester.close();
  expect(processTree(tester.pid ?? 0)).toEqual([]);
});

async function start(options: TesterOptions = {}): Promise<Tester> {
  return (tester = await startTester({ python: FAKE, ...options }));
}

test("a run delivers its events in order and resolves with the verdict, which is the last", async () => {
  await start();
  const events: JudgeEvent[] = [];
  const verdict = await tester.run(job("pass"), (event) => events.push(event));
  expect(events.map((event) => event.type)).toEqual(["stage_started", "stage_finished", "verdict"]);
  expect(verdict).toEqual(events.at(-1));
});

test("the machine is described by the tester, including a missing sandbox", async () => {
  expect((await start()).machine.sandbox).toBe("bubblewrap");
  await tester.close();
  expect((await start({ unsafeNoSandbox: true })).machine.sandbox).toBe("none");
});

test.for([
  ["writes what is not JSON", "garbage", /not valid JSON/],
  ["reports an event of an unknown run", "stranger", /an event of run another, which is not under way/],
  ["writes a line without end", "endless", /a line is longer than/],
] as const)("a tester that %s fails its run, and the next gets a new one", async ([, source, reason]) => {
  await start();
  await expect(tester.run(job(source), () => undefined)).rejects.toMatchObject({
    message: "the tester broke its protocol",
    log: expect.stringMatching(reason) as string,
  });
  expect((await tester.run(job("pass"), () => undefined)).verdict).toBe("passed");
});

test("a tester that dies fails its run, with its last words, and the next gets a new one", async () => {
  await start();
  await expect(tester.run(job("die"), () => undefined)).rejects.toMatchObject({
    name: "TesterFailure",
    code: "unavailable",
    message: "the tester ended unexpectedly (exit code 7)",
    log: "Segmentation fault, or so\n",
  });
  expect((await tester.run(job("pass"), () => undefined)).verdict).toBe("passed");
});

test("a tester that hangs is killed with all its children when the time of the stages and the grace are over", async () => {
  await start({ graceMs: 300 });
  const pids: number[] = [];
  await expect(tester.run(job("hang"), collectPids(pids))).rejects.toThrow("hung");
  await tester.ready();
  expect(pids).toHaveLength(3);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test("an application may take longer than all other stages together", async () => {
  await start({ graceMs: 0 });
  const application: Application = {
    cases: [{}],
    rtol: 0,
    timeoutS: 60,
    gate: "none",
    checkFirst: 0,
    secondsPerDay: 0,
  };
  const long = {
    ...job(`await ${join(folder, "end")}`),
    problem: { ...problem, spec: { ...problem.spec, application } },
  };
  const run = tester.run(long, () => undefined);
  const others = 1000 * 3 * 5 * 0.05;
  setTimeout(() => writeFileSync(join(folder, "end"), ""), 2 * others);
  expect((await run).verdict).toBe("passed");
});

test("an aborted run ends with the reason of the signal, and the same process serves the next", async () => {
  await start();
  const pid = tester.pid;
  const abort = new AbortController();
  const run = tester.run(job("wait"), () => abort.abort(new Error("cancelled by its owner")), abort.signal);
  await expect(run).rejects.toThrow("cancelled by its owner");
  expect((await tester.run(job("pass"), () => undefined)).verdict).toBe("passed");
  expect(tester.pid).toBe(pid);
});

test("an aborted run that does not end is killed with all its children", async () => {
  await start({ cancelMs: 300 });
  const pids: number[] = [];
  const abort = new AbortController();
  const run = tester.run(
    job("hang"),
    (event) => {
      collectPids(pids)(event);
      if (event.type === "output") abort.abort(new Error("cancelled by its owner"));
    },
    abort.signal,
  );
  await expect(run).rejects.toThrow("cancelled by its owner");
  await tester.ready();
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test("a tester that refuses the machine does not start, and says why", async () => {
  const python = script(
    `FAKE_TESTER_REFUSES="the sandbox cannot be set up: no user namespaces" exec ${JSON.stringify(FAKE)} "$@"`,
  );
  await expect(startTester({ python })).rejects.toThrow("no user namespaces");
});

test("a tester gets no variable that it has no use for", async () => {
  process.env.AWS_SECRET_ACCESS_KEY = "secret";
  try {
    const refusal = `{"type": "refused", "reason": "it got $AWS_SECRET_ACCESS_KEY"}`;
    await expect(startTester({ python: script(`echo ${JSON.stringify(refusal)}`) })).rejects.toThrow("it got ");
    await expect(startTester({ python: script(`echo ${JSON.stringify(refusal)}`) })).rejects.not.toThrow("secret");
  } finally {
    delete process.env.AWS_SECRET_ACCESS_KEY;
  }
});

test("laid to rest, its process is gone; the next run has a new one", async () => {
  await start();
  const pid = tester.pid ?? 0;
  await tester.rest();
  expect(isAlive(pid)).toBe(false);
  expect((await tester.run(job("pass"), () => undefined)).verdict).toBe("passed");
  expect(tester.pid).not.toBe(pid);
});

test("an interpreter that is not there is named", async () => {
  await expect(startTester({ python: "/nowhere/python3" })).rejects.toThrow("/nowhere/python3");
});

function collectPids(pids: number[]): (event: JudgeEvent) => void {
  return (event) => {
    if (event.type === "output") pids.push(...event.head.split(" ").map(Number));
  };
}
