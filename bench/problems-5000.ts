import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { median } from "@kernelbot/core";
import { CLI, startServer, temporaryDataDir } from "../scripts/processes.ts";
import type { Bench, Figure } from "./figure.ts";

const SHIPPED = resolve(import.meta.dirname, "..", "problems");
const COUNT = 5000;
/** Time in ms after which a server is idle: V8 has returned what it does not need. */
const IDLE_MS = 45_000;
const REQUESTS = 10;
const PATHS = {
  "front page": "/",
  "problem list, page": "/problems",
  "problem list, search": "/problems?search=softmax",
  "problem list, API": "/api/v1/problems",
  "board list, API": "/api/v1/boards",
};

/** Measurements of a server with the problems of one folder. */
interface Measured {
  firstStartS: number;
  startS: number;
  idleMb: number;
  /** Median response time by the name of the request. */
  requestMs: Map<string, number>;
}

/**
 * Measures a server with 5,000 generated problems. Peer: a server with the shipped problems.
 *
 * - first start: with an empty data folder, until the server responds; it stores the problems.
 * - start: with the same folder again, nothing changed.
 * - memory: resident set size of the server, without the database, when idle after the requests.
 * - requests: median of sequential ones.
 */
export const problems5000: Bench = async () => {
  const folder = mkdtempSync(join(tmpdir(), "kernelbot-problems-"));
  try {
    const started = performance.now();
    const generate = ["problem", "generate", "--count", String(COUNT), "--out", join(folder, "generated")];
    execFileSync(process.execPath, [CLI, ...generate]);
    const generatedS = (performance.now() - started) / 1000;
    const [many, few] = [await measure(folder), await measure(SHIPPED)];
    const peer = "shipped problems";
    const figure = (name: string, unit: Figure["unit"], value: number, peerValue: number): Figure => ({
      ...{ name, value, unit, peer, peerValue },
    });
    return [
      { name: `generating ${COUNT} problems`, value: generatedS, unit: "s" },
      figure("first start", "s", many.firstStartS, few.firstStartS),
      figure("start", "s", many.startS, few.startS),
      figure("memory, idle", "MB", many.idleMb, few.idleMb),
      ...[...many.requestMs].map(([name, ms]) => figure(name, "ms", ms, few.requestMs.get(name) ?? NaN)),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

async function measure(problems: string): Promise<Measured> {
  const dataDir = temporaryDataDir();
  try {
    let started = performance.now();
    const first = await startServer({ dataDir, problems });
    const firstStartS = (performance.now() - started) / 1000;
    await first[Symbol.asyncDispose]();
    started = performance.now();
    await using server = await startServer({ dataDir, problems });
    const startS = (performance.now() - started) / 1000;
    const requestMs = new Map<string, number>();
    for (const [name, path] of Object.entries(PATHS)) {
      const times: number[] = [];
      for (let request = 0; request < REQUESTS; request += 1) {
        started = performance.now();
        const response = await fetch(server.url + path);
        await response.text();
        if (!response.ok) throw new Error(`${path} responds with ${response.status}`);
        times.push(performance.now() - started);
      }
      requestMs.set(name, median(times));
    }
    await pause(IDLE_MS);
    return { firstStartS, startS, idleMb: residentMb(server.process.pid), requestMs };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Returns the resident set size of a process, in MB. */
function residentMb(pid: number | undefined): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}
