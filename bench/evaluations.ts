import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { createClient, type Client } from "@kernelbot/api";
import { median, type Evaluation } from "@kernelbot/core";
import { findPython } from "@kernelbot/tester";
import { mintToken, startRunner, startServer, stop } from "../scripts/processes.ts";
import { quantile, type Bench, type Figure } from "./figure.ts";
import { freshProcessMs } from "./fresh-process.ts";

const PROBLEM = resolve(import.meta.dirname, "../problems/pmpp/vectoradd");
const SOLUTION = join(PROBLEM, "solutions/fast_out.py");
const SECONDS = { test: 15, reward: 20 };
const CLIENTS = [1, 2, 8];
const SLOTS = 2;
const FRESH_RUNS = 5;

/**
 * Measures evaluations of vectoradd per second on a runner with two slots, with clients that send the next one when they
 * have the result, their latency, and the processor time of the whole machine for each. Every source differs, so no
 * result is cached. Peer: one fresh process after the other that imports PyTorch, does the same as the level (100 calls
 * for each benchmark case), and does not isolate the code.
 */
export const evaluations: Bench = async () => {
  await using server = await startServer();
  const token = mintToken(server.dataDir, { label: "runner", scopes: "runner", targets: "cpu" });
  const args = ["--slots", String(SLOTS)];
  const runner = await startRunner({ server: server.url, token, target: "cpu", args });
  try {
    const client = createClient({ server: server.url, token: server.token });
    const { path: python } = await findPython();
    const peer = "a fresh process without isolation";
    const figures: Figure[] = [];
    // All slots are warm afterwards.
    await Promise.all(Array.from({ length: 4 * SLOTS }, () => evaluate(client, "reward")));
    for (const level of ["test", "reward"] as const) {
      const peerMs = Array.from({ length: FRESH_RUNS }, () => freshProcessMs(python, level, PROBLEM, SOLUTION));
      const peerValue = 1000 / median(peerMs);
      for (const clients of CLIENTS) {
        const { perSecond, ms, processorS } = await measure(client, level, clients);
        const name = `level ${level}, ${clients} ${clients === 1 ? "client" : "clients"}`;
        figures.push(
          { name, value: perSecond, unit: "/s", peer, peerValue },
          { name: `${name}, latency, median`, value: median(ms), unit: "ms" },
          { name: `${name}, latency, 95 % below`, value: quantile(ms, 0.95), unit: "ms" },
          { name: `${name}, processor time of each`, value: processorS * 1000, unit: "ms" },
        );
      }
    }
    return figures;
  } finally {
    await stop(runner, "SIGTERM");
  }
};

async function measure(client: Client, level: "test" | "reward", clients: number) {
  const ms: number[] = [];
  const started = performance.now();
  const before = processorSeconds();
  const until = started + SECONDS[level] * 1000;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) {
        const sent = performance.now();
        await evaluate(client, level);
        ms.push(performance.now() - sent);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  return { perSecond: ms.length / seconds, ms, processorS: (processorSeconds() - before) / ms.length };
}

const source = readFileSync(SOLUTION, "utf8");
let number = 0;

async function evaluate(client: Client, level: Evaluation["level"]): Promise<void> {
  const code = `${source}\n# ${number++}\n`;
  const { outcome, feedback } = await client.evaluations.evaluate({ problem: "vectoradd", target: "cpu", code, level });
  // Judged again, as trainers do; the time counts.
  if (outcome === "noisy") return evaluate(client, level);
  if (outcome !== "passed") throw new Error(`${outcome}: ${feedback}`);
}

/** Returns the seconds that all processors have been busy. */
function processorSeconds(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1000;
}
