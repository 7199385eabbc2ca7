import { readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type Client } from "@kernelbot/api";
import { mintToken, startRunner, startServer, stop } from "../scripts/processes.ts";
import type { Bench, Figure } from "./figure.ts";
import { sum, tree } from "./processes.ts";

const SOLUTION = resolve(import.meta.dirname, "../problems/pmpp/vectoradd/solutions/fast_out.py");
/** Number of evaluations before the first count, and between it and the second. Set KERNELBOT_BENCH_EVALUATIONS for fewer. */
const WARM_UP = 500;
const COUNT = Number(process.env["KERNELBOT_BENCH_EVALUATIONS"] ?? 10_000);
const BATCH = 250;
/** Time in ms in which the processes of the last run end, and the next ones are prepared. */
const SETTLE_MS = 5000;

/**
 * Judges thousands of evaluations at level `test` and compares what server, runner and tester occupy after a warm-up and
 * after all of them.
 */
export const evaluationLeaks: Bench = async () => {
  await using server = await startServer();
  const token = mintToken(server.dataDir, { label: "runner", scopes: "runner", targets: "cpu" });
  const runner = await startRunner({ server: server.url, token, target: "cpu", args: ["--slots", "2"] });
  const client = createClient({ server: server.url, token: server.token });
  const occupied = async () => {
    await pause(SETTLE_MS);
    const processes = tree(server.process.pid).filter(({ name }) => name !== "postgres");
    const judging = tree(runner.pid);
    return {
      serverMb: sum(processes, "pssMb"),
      runnerMb: sum(judging, "pssMb"),
      processes: processes.length + judging.length,
      descriptors: [...processes, ...judging].reduce((total, { pid }) => total + descriptorsOf(pid), 0),
      files: readdirSync(tmpdir()).length,
    };
  };
  try {
    await evaluate(client, WARM_UP);
    const before = await occupied();
    await evaluate(client, COUNT);
    const after = await occupied();
    const figure = (name: string, unit: Figure["unit"], of: keyof typeof before): Figure => {
      return { name, value: after[of], unit, peer: `before ${COUNT} evaluations`, peerValue: before[of] };
    };
    return [
      figure("memory of the server", "MB", "serverMb"),
      figure("memory of runner and tester", "MB", "runnerMb"),
      figure("processes", "", "processes"),
      figure("open files", "", "descriptors"),
      figure("files in the temporary folder", "", "files"),
    ];
  } finally {
    await stop(runner, "SIGTERM");
  }
};

let number = 0;

async function evaluate(client: Client, count: number): Promise<void> {
  const source = readFileSync(SOLUTION, "utf8");
  for (let done = 0; done < count; done += BATCH) {
    const requests = Array.from({ length: Math.min(BATCH, count - done) }, () => {
      const code = `${source}\n# ${number++}\n`;
      return { problem: "vectoradd", target: "cpu", code, level: "test" as const };
    });
    const { id } = await client.evaluations.createBatch(requests);
    for await (const { outcome, feedback } of client.evaluations.results(id)) {
      if (outcome !== "passed") throw new Error(`${outcome}: ${feedback}`);
    }
  }
}

/** Returns the number of open files of a process; 0 if it has ended. */
function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
