import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createClient } from "@kernelbot/api";
import { median } from "@kernelbot/core";
import { findPython } from "@kernelbot/tester";
import { startServer } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";
import { freshProcessMs } from "./fresh-process.ts";

const PROBLEM = resolve(import.meta.dirname, "../problems/pmpp/vectoradd");
const SOLUTION = join(PROBLEM, "solutions/fast_out.py");
const SUBMISSIONS = 20;
const FRESH_RUNS = 5;

/**
 * Measures vectoradd in test mode on a warm local runner, from the request to the verdict's event. Peer: a fresh Python
 * process per stage.
 */
export const latency: Bench = async () => {
  await using server = await startServer({ localRunner: "cpu" });
  const client = createClient({ server: server.url, token: server.token });
  const source = readFileSync(SOLUTION, "utf8");
  const times: number[] = [];
  for (let number = 0; number <= SUBMISSIONS; number += 1) {
    const request = { board: "vectoradd", targets: ["cpu"], mode: "test" as const, fileName: "kernel.py", source };
    const sent = performance.now();
    const { id } = await client.submit(request);
    for await (const { event } of client.events(id)) {
      if (event.type === "run_finished" && event.verdict !== "passed")
        throw new Error(`${event.verdict}: ${event.message}`);
    }
    // The first submission waits until the runner has started.
    if (number > 0) times.push(performance.now() - sent);
  }

  const { path: python } = await findPython();
  const fresh = Array.from({ length: FRESH_RUNS }, () =>
    (["prepare", "test"] as const).reduce((sum, stage) => sum + freshProcessMs(python, stage, PROBLEM, SOLUTION), 0),
  );
  return [
    {
      name: "latency, median",
      value: median(times),
      unit: "ms",
      peer: "a fresh process per stage",
      peerValue: median(fresh),
    },
    { name: "latency, slowest", value: Math.max(...times), unit: "ms" },
  ];
};
