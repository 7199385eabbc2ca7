/**
 * Thirty submissions in flight while server, runners, judges and database are killed with SIGKILL: every accepted
 * submission ends with its correct verdict, exactly once.
 */
import type { ChildProcess } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createClient, type Client } from "@kernelbot/api";
import { isFinished, type LogEvent, type Submission, type SubmitRequest } from "@kernelbot/core";
import {
  mintToken,
  startRunner,
  startServer,
  stop,
  temporaryDataDir,
  type RunningServer,
} from "../scripts/processes.ts";

const COUNT = 30;
/** Long enough that every kill finds a running job. */
const SLOW = "import time\ntime.sleep(1)\n";
const RIGHT = "def custom_kernel(data):\n    x, out = data\n    return out.copy_(x + x)\n";
const WRONG = "def custom_kernel(data):\n    x, out = data\n    return out.copy_(x + 1)\n";

test("every accepted submission ends with its right verdict, none twice", { timeout: 400_000 }, async () => {
  const testServer = await TestServer.open();
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
      if (!(await testServer.untilBusy(ids))) break;
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
      expect({ index, ...verdict(runs) }).toEqual({
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

/** A server and two runners that are restarted after each kill, like under a supervisor. */
class TestServer {
  readonly killed = { server: 0, runner: 0, judge: 0, database: 0 };
  readonly client: Client;
  readonly #token: string;
  #server: RunningServer;
  #runners: ChildProcess[];

  private constructor(server: RunningServer, token: string, runners: ChildProcess[]) {
    this.#token = token;
    this.#server = server;
    this.#runners = runners;
    this.client = createClient({ server: server.url, token: server.token });
  }

  static async open(): Promise<TestServer> {
    const server = await startServer(options(await freePort(), temporaryDataDir()));
    const token = mintToken(server.dataDir, { label: "runner", scopes: "runner", targets: "cpu" });
    const runners = await Promise.all(["one", "two"].map((name) => runner(server, token, name)));
    return new TestServer(server, token, runners);
  }

  /** Waits until runs are in progress, all in their first attempt; returns false when all submissions are finished. */
  async untilBusy(ids: number[]): Promise<boolean> {
    for (;;) {
      for (const { exitCode } of this.#runners)
        if (exitCode !== null) throw new Error(`a runner ended with ${exitCode}`);
      const submissions = await Promise.all(ids.map((id) => this.client.submission(id)));
      if (submissions.every(isFinished)) return false;
      // Runs that have lost an attempt are spared, so that none runs out of attempts.
      const running = submissions.flatMap(({ runs }) => runs).filter(({ state }) => state === "running");
      if (running.length > 0 && running.every(({ attempt }) => attempt === 1)) return true;
      await pause(20);
    }
  }

  async kill(victim: keyof TestServer["killed"]): Promise<void> {
    const { dataDir, port } = this.#server;
    switch (victim) {
      case "server":
        await stop(this.#server.process, "SIGKILL");
        this.#server = await startServer(options(port, dataDir));
        break;
      case "runner": {
        const [killed, other] = this.#runners as [ChildProcess, ChildProcess];
        await stop(killed, "SIGKILL");
        this.#runners = [other, await runner(this.#server, this.#token, `after ${killed.pid}`)];
        break;
      }
      case "judge": {
        const judge = judges(this.#runners.map(({ pid }) => pid))[0];
        if (judge === undefined) return;
        process.kill(judge, "SIGKILL");
        break;
      }
      case "database":
        process.kill(postmaster(dataDir), "SIGKILL");
        break;
    }
    this.killed[victim] += 1;
  }

  async close(): Promise<void> {
    await Promise.all(this.#runners.map((child) => stop(child, "SIGKILL")));
    await this.#server[Symbol.asyncDispose]();
  }
}

function runner(server: RunningServer, token: string, name: string): Promise<ChildProcess> {
  return startRunner({ server: server.url, token, target: "cpu", name });
}

function options(port: number, dataDir: string) {
  return { port, dataDir, problems: join(import.meta.dirname, "problems") };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Returns the PIDs of the judges of these runners: the children that a tester's host forks. */
function judges(runners: readonly (number | undefined)[]): number[] {
  const parents = new Map<number, number>();
  const testers = new Set<number>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      parents.set(Number(pid), Number(parent));
      if (/kernelbot_tester serve/.test(command) && !/bwrap/.test(command)) testers.add(Number(pid));
    } catch {
      // The process has ended.
    }
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (runners.includes(pid) || isOurs(parents.get(pid)));
  return [...testers].filter((pid) => testers.has(parents.get(pid) ?? 0) && isOurs(pid));
}

function postmaster(dataDir: string): number {
  const file = readdirSync(dataDir, { recursive: true })
    .map(String)
    .find((name) => name.endsWith("postmaster.pid"));
  if (file === undefined) throw new Error(`no postmaster.pid under ${dataDir}`);
  return Number(readFileSync(join(dataDir, file), "utf8").split("\n")[0]);
}
