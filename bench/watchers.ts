import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@kernelbot/api";
import { Claimed, type JudgeEvent, type Machine } from "@kernelbot/core";
import { openClient } from "../packages/server/src/db/client.ts";
import { mintToken, startServer, type RunningServer } from "../scripts/processes.ts";
import type { Bench, Figure } from "./figure.ts";

const WATCHERS = 1000;
/** Typical distribution: most watchers follow their own submission, some a board. */
const SUBMISSIONS = 80;
const BOARD_WATCHERS = 200;
/** Events per second of all submissions together. */
const RATE = 20;
const EVENTS = 200;
const BOARD_EVENTS = 10;
/** Number of events sent while all watchers follow one submission. */
const ROUNDS = 40;

/**
 * Measures the latency of an event from the runner's report, its commit included, to each of 1,000 watchers of
 * server-sent events of one server process: watchers distributed over many submissions and a board, and all of them on
 * one submission.
 */
export const watchers: Bench = async () => {
  await using server = await startServer();
  const runner = mintToken(server.dataDir, { label: "bench", scopes: "runner", targets: "cpu" });
  const runs = await running(server, runner, SUBMISSIONS);
  return [...(await spread(server, runner, runs)), ...(await together(server, runner, runs[0] as Running))];
};

interface Running {
  submissionId: number;
  runId: number;
  attempt: number;
  /** Number of reported events of the attempt. */
  reported: number;
}

/** Returns submissions whose runs are claimed and have started their first stage. */
async function running(server: RunningServer, token: string, count: number): Promise<Running[]> {
  const client = createClient({ server: server.url, token: server.token });
  const submissions = new Map<number, number>();
  for (let number = 0; number < count; number += 1) {
    const source = `x = ${number}\n`;
    const request = { board: "vectoradd", targets: ["cpu"], mode: "test" as const, fileName: "k.py", source };
    const { id, runs } = await client.submit(request);
    submissions.set(runs[0]?.id ?? 0, id);
  }
  const machine: Machine = {
    ...{
      hostname: "bench",
      os: "Linux",
      arch: "x86_64",
      memoryBytes: 1e9,
      accelerators: [],
      runtime: null,
      driver: null,
    },
    ...{ cpu: { model: "bench", count: 1, clockMhz: null, measured: null }, python: "3", frameworks: {} },
    ...{ sandbox: "none", testerVersion: "1" },
  };
  const all: Running[] = [];
  for (let number = 0; number < count; number += 1) {
    const claim = { target: "cpu", runner: "bench", machine, waitMs: 0 };
    const { runId, attempt } = Claimed.parse(await post(server, token, "/runner/claim", claim));
    const run = { submissionId: submissions.get(runId) ?? 0, runId, attempt, reported: 0 };
    await report(server, token, run, { type: "stage_started", stage: "prepare", cases: 0 });
    all.push(run);
  }
  return all;
}

async function report(server: RunningServer, token: string, run: Running, event: JudgeEvent): Promise<void> {
  const { runId, attempt, reported: from } = run;
  run.reported += 1;
  await post(server, token, `/runner/runs/${runId}/report`, { attempt, from, events: [event] });
}

async function post(server: RunningServer, token: string, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Measures watchers of many submissions and a board, with events alternating between them. */
async function spread(server: RunningServer, token: string, runs: readonly Running[]): Promise<Figure[]> {
  const sentAt = new Map<string, number>();
  const delays: number[] = [];
  const onEvent = (topic: string) => (): void => {
    const at = sentAt.get(topic);
    if (at !== undefined) delays.push(performance.now() - at);
  };
  const sockets = await Promise.all(
    Array.from({ length: WATCHERS }, (_, number) => {
      if (number < BOARD_WATCHERS) return watch(server, "/boards/vectoradd/cpu/updates", onEvent("board"));
      const id = (runs[number % runs.length] as Running).submissionId;
      return watch(server, `/api/v1/submissions/${id}/events`, onEvent(`submission ${id}`));
    }),
  );
  const database = openClient({
    path: `${server.dataDir}/socket/.s.PGSQL.5432`,
    user: "kernelbot",
    database: "postgres",
  });
  try {
    const each = Math.round(EVENTS / BOARD_EVENTS);
    for (let number = 0; number < EVENTS; number += 1) {
      const run = runs[(number * 7) % runs.length] as Running;
      sentAt.set(`submission ${run.submissionId}`, performance.now());
      await report(server, token, run, logLine(number));
      if (number % each === 0) {
        // Like the transaction of an event that changes ranks.
        sentAt.set("board", performance.now());
        await database.sql`select signal_board_change('vectoradd', 'cpu')`;
      }
      await pause(1000 / RATE);
    }
    await pause(500);
  } finally {
    await database.end(1);
    for (const socket of sockets) socket.destroy();
  }
  const due = (EVENTS * (WATCHERS - BOARD_WATCHERS)) / runs.length + BOARD_EVENTS * BOARD_WATCHERS;
  if (delays.length < due) throw new Error(`${delays.length} of ${due} events came`);
  return figures("watchers of many things", delays);
}

/** Measures all watchers on one submission. */
async function together(server: RunningServer, token: string, run: Running): Promise<Figure[]> {
  const delays: number[] = [];
  let sentAt = 0;
  let waiting = 0;
  let all = Promise.withResolvers<undefined>();
  const onEvent = (): void => {
    if (waiting === 0) return;
    delays.push(performance.now() - sentAt);
    waiting -= 1;
    if (waiting === 0) all.resolve(undefined);
  };
  const path = `/api/v1/submissions/${run.submissionId}/events`;
  const sockets = await Promise.all(Array.from({ length: WATCHERS }, () => watch(server, path, onEvent)));
  for (let round = 0; round < ROUNDS; round += 1) {
    all = Promise.withResolvers();
    waiting = WATCHERS;
    sentAt = performance.now();
    await report(server, token, run, logLine(round));
    await all.promise;
    await pause(50);
  }
  for (const socket of sockets) socket.destroy();
  return figures("watchers of one submission", delays);
}

/** Returns an event that may occur any number of times. */
function logLine(number: number): JudgeEvent {
  return { type: "stage_started", stage: number % 2 === 0 ? "test" : "prepare", cases: 1 };
}

/** Opens a stream. Resolves once the existing events have arrived. */
async function watch(server: RunningServer, path: string, onEvent: () => void): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1");
  socket.setNoDelay(true);
  socket.setEncoding("latin1");
  await once(socket, "connect");
  const head = { host: "127.0.0.1", authorization: `Bearer ${server.token}` };
  socket.write(
    `GET ${path} HTTP/1.1\r\n${Object.entries(head)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}\r\n`,
  );
  const [first] = (await once(socket, "data")) as [string];
  if (!first.startsWith("HTTP/1.1 200")) throw new Error(first.slice(0, 300));
  await pause(1000);
  // A message may arrive in several chunks; the one with its event name counts.
  socket.on("data", (chunk: string) => {
    for (let at = chunk.indexOf("event: "); at >= 0; at = chunk.indexOf("event: ", at + 1)) onEvent();
  });
  return socket;
}

function figures(name: string, delays: number[]): Figure[] {
  delays.sort((a, b) => a - b);
  const at = (share: number): number => delays[Math.min(delays.length - 1, Math.floor(share * delays.length))] ?? NaN;
  return [
    { name: `${name}, median`, value: at(0.5), unit: "ms" },
    { name: `${name}, p99`, value: at(0.99), unit: "ms" },
  ];
}
