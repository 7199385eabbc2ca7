/** A server and runners that tests kill with SIGKILL. */
import type { ChildProcess } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type Client } from "@kernelbot/api";
import {
  freePort,
  mintToken,
  startRunner,
  startServer,
  stop,
  temporaryDataDir,
  type RunningServer,
} from "../scripts/processes.ts";

/** A server and two runners that are restarted after each kill, like under a supervisor. */
export class KillableServer {
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

  static async open(): Promise<KillableServer> {
    const server = await startServer(options(await freePort(), temporaryDataDir()));
    const token = mintToken(server.dataDir, { label: "runner", scopes: "runner", targets: "cpu" });
    const runners = await Promise.all(["one", "two"].map((name) => runner(server, token, name)));
    return new KillableServer(server, token, runners);
  }

  /** Fails if a runner has ended by itself. */
  checkRunners(): void {
    for (const { exitCode } of this.#runners) if (exitCode !== null) throw new Error(`a runner ended with ${exitCode}`);
  }

  async kill(victim: keyof KillableServer["killed"]): Promise<void> {
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
        process.kill(await this.#judge(), "SIGKILL");
        break;
      }
      case "database":
        process.kill(postmaster(dataDir), "SIGKILL");
        break;
    }
    this.killed[victim] += 1;
  }

  /** Returns the PID of a judge. A run has none while it waits for its turn on this machine. */
  async #judge(): Promise<number> {
    for (;;) {
      const [judge] = judges(this.#runners.map(({ pid }) => pid));
      if (judge !== undefined) return judge;
      await pause(20);
    }
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
