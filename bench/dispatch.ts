import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type Client } from "@kernelbot/api";
import { median } from "@kernelbot/core";
import { startServer } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";

const SOLUTION = resolve(import.meta.dirname, "../problems/pmpp/vectoradd/solutions/fast_out.py");
const SUBMISSIONS = 40;
/** Time in ms after a verdict until the runner is idle: the processes of the run have ended. */
const IDLE_MS = 400;

/**
 * Measures the time from the transaction that stores a submission, whose start the event log records, until an idle warm
 * local runner has claimed the run and until its first event is stored. So it includes the commit. Peer: a bare HTTP
 * server that answers a waiting request when it receives another one, and then receives one more from the first client.
 */
export const dispatch: Bench = async () => {
  await using server = await startServer({ localRunner: "cpu" });
  const client = createClient({ server: server.url, token: server.token });
  const source = readFileSync(SOLUTION, "utf8");
  await submit(client, source); // The first one waits until the runner has started.
  const times: Dispatch[] = [];
  for (let number = 0; number < SUBMISSIONS; number += 1) {
    await pause(IDLE_MS);
    times.push(await submit(client, source));
  }
  const firstEvents = times.map(({ firstEventMs }) => firstEventMs);
  const [peer, peerValue] = ["bare HTTP long poll", await bareLongPollMs()];
  return [
    { name: "dispatch: claimed", value: median(times.map(({ claimedMs }) => claimedMs)), unit: "ms" },
    { name: "dispatch: first event, median", value: median(firstEvents), unit: "ms", peer, peerValue },
    { name: "dispatch: first event, slowest", value: Math.max(...firstEvents), unit: "ms" },
  ];
};

interface Dispatch {
  claimedMs: number;
  firstEventMs: number;
}

/** Submits a kernel, and waits until its run has passed. */
async function submit(client: Client, source: string): Promise<Dispatch> {
  const request = { board: "vectoradd", targets: ["cpu"], mode: "test" as const, fileName: "kernel.py", source };
  const { id } = await client.submit(request);
  let acceptedAt: number | undefined;
  const at = new Map<string, number>();
  for await (const { event, at: stored } of client.events(id)) {
    acceptedAt ??= Date.parse(stored);
    if (!at.has(event.type)) at.set(event.type, Date.parse(stored) - acceptedAt);
    if (event.type === "run_finished" && event.verdict !== "passed")
      throw new Error(`${event.verdict}: ${event.message}`);
  }
  return { claimedMs: at.get("run_started") ?? NaN, firstEventMs: at.get("stage_started") ?? NaN };
}

/** Median time in ms from the response to a `POST /submit` until the client of a waiting `/claim` has sent a `/report`. */
async function bareLongPollMs(): Promise<number> {
  const waiting: ServerResponse[] = [];
  let reported = Promise.withResolvers<number>();
  const server = createServer((request, response) => {
    if (request.url === "/claim") return void waiting.push(response);
    if (request.url === "/submit") waiting.pop()?.end("{}");
    else reported.resolve(performance.now());
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const times: number[] = [];
  for (let number = 0; number < SUBMISSIONS; number += 1) {
    reported = Promise.withResolvers<number>();
    const runner = fetch(`${url}/claim`).then(() => fetch(`${url}/report`, { method: "POST" }));
    while (waiting.length === 0) await pause(1);
    await fetch(`${url}/submit`, { method: "POST" });
    const answered = performance.now();
    times.push((await reported.promise) - answered);
    await runner;
  }
  server.close();
  return median(times);
}
