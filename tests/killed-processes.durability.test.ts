/**
 * Thirty submissions in flight while server, runners, judges and database are killed with SIGKILL: every accepted
 * submission ends with its correct verdict, exactly once.
 */
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Client } from "@kernelbot/api";
import { isFinished, type LogEvent, type Submission, type SubmitRequest } from "@kernelbot/core";
import { KillableServer } from "./killable-server.ts";

const COUNT = 30;
/** Long enough that every kill finds a running job. */
const SLOW = "import time\ntime.sleep(1)\n";
const RIGHT = "def custom_kernel(data):\n    x, out = data\n    return out.copy_(x + x)\n";
const WRONG = "def custom_kernel(data):\n    x, out = data\n    return out.copy_(x + 1)\n";

test("every accepted submission ends with its right verdict, none twice", async () => {
  const testServer = await KillableServer.open();
  try {
    const ids = await Promise.all(
      Array.from({ length: COUNT }, async (_, index) => {
        const source = `# ${index}\n${SLOW}${index % 3 === 2 ? WRONG : RIGHT}`;
        const mode = modeOf(index);
        const request: SubmitRequest = {
          board: "double",
          targets: ["cpu"],
          mode,
          fileName: `kernel-${index}.py`,
          source,
        };
        return (await testServer.client.submit(request)).id;
      }),
    );

    const victims = ["server", "runner", "judge", "database"] as const;
    for (const victim of [...victims, ...victims]) {
      if (!(await untilBusy(testServer, ids))) break;
      await testServer.kill(victim);
    }

    for (const [index, id] of ids.entries()) {
      const log = await everyEvent(testServer.client, id);
      const happened = (type: string): number => log.filter(({ event }) => event.type === type).length;
      expect({ index, finished: happened("run_finished"), ended: happened("submission_finished") }).toEqual({
        index,
        finished: 1,
        ended: 1,
      });
      expect(log.map((event) => event.id)).toEqual(log.map((_, position) => position + 1));
      const { runs } = await testServer.client.submission(id);
      expect({ index, ...verdict(runs) }, runs[0]?.message ?? "no message").toEqual({
        index,
        ...(index % 3 === 2
          ? { verdict: "failed", failureClass: "wrong_result" }
          : { verdict: "passed", failureClass: null }),
      });
      if (modeOf(index) === "profile") expect(await profileOf(testServer.client, runs[0]?.id ?? 0)).toMatch(/aten::/);
    }
    expect(testServer.killed).toEqual(expect.objectContaining({ server: 2, runner: 2, database: 2 }));
    expect(testServer.killed.judge).toBeGreaterThan(0);
  } finally {
    await testServer.close();
  }
});

function modeOf(index: number): SubmitRequest["mode"] {
  if (index % 3 !== 0) return "test";
  return index % 2 === 0 ? "benchmark" : "profile";
}

/** Downloads the profile table of the first case. */
async function profileOf(client: Client, runId: number): Promise<string> {
  const { artifacts } = await client.run(runId);
  expect(artifacts.map(({ name }) => name)).toContain("profile.0.txt");
  const chunks: Uint8Array[] = [];
  for await (const chunk of client.artifact(runId, "profile.0.txt")) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function verdict(runs: Submission["runs"]) {
  const [run] = runs;
  return { verdict: run?.verdict, failureClass: run?.failureClass };
}

async function everyEvent(client: Client, id: number): Promise<LogEvent[]> {
  const log: LogEvent[] = [];
  for await (const event of client.events(id)) log.push(event);
  return log;
}

/** Waits until runs are in progress, all in their first attempt; returns false when all submissions are finished. */
async function untilBusy(testServer: KillableServer, ids: number[]): Promise<boolean> {
  for (;;) {
    testServer.checkRunners();
    const submissions = await Promise.all(ids.map((id) => testServer.client.submission(id)));
    if (submissions.every(isFinished)) return false;
    // Runs that have lost an attempt are spared, so that none runs out of attempts.
    const running = submissions.flatMap(({ runs }) => runs).filter(({ state }) => state === "running");
    if (running.length > 0 && running.every(({ attempt }) => attempt === 1)) return true;
    await pause(20);
  }
}
