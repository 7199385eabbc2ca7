/**
 * Simulated runner without a judge: it claims by long poll, reports stages and verdict, renews its lease, and retries
 * requests without a response. Its verdict contains its name and the attempt, so that the check at the end shows which
 * report was accepted.
 */
import { request, type Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Claimed, ReportResponse, type JudgeEvent, type Machine, type Stage } from "@kernelbot/core";

export interface Connection {
  url: string;
  token: string;
  agent: Agent;
}

/** Measurements since the last request for them, in milliseconds. */
export interface Measured {
  /** Latency of claims that found a queued run. */
  claimsMs: number[];
  reportsMs: number[];
  /** Runs whose verdict the server accepted, and runs that it had leased to another attempt. */
  delivered: number;
  stale: number;
}

export interface Pace {
  /** Mean duration of a run, in ms. */
  runMs: number;
}

/** Duration of a long poll in ms, longer than a claim that finds a queued run: slower claims had to wait for one. */
const LONG_POLL_MS = 20_000;

export async function runRunner(
  connection: Connection,
  { name, target }: { name: string; target: string },
  pace: Pace,
  measured: Measured,
): Promise<never> {
  await pause(pace.runMs * Math.random());
  for (;;) {
    const started = performance.now();
    const answer = await insist(connection, "claim", {
      target,
      runner: name,
      machine: machineOf(name),
      waitMs: LONG_POLL_MS,
    });
    if (answer.status !== 200) continue;
    const run = Claimed.parse(JSON.parse(answer.text));
    if (!answer.isAgain) measured.claimsMs.push(performance.now() - started);
    await judge(connection, name, run, pace, measured);
  }
}

/** Reports a run in the same number of parts as a fast real run. */
async function judge(
  connection: Connection,
  name: string,
  run: Claimed,
  pace: Pace,
  measured: Measured,
): Promise<void> {
  const { prepare, rest } = eventsOf(run, `${name} ${run.attempt}`);
  const takesMs = pace.runMs * (0.5 + Math.random());
  let from = 0;
  for (const [part, events] of [
    prepare.slice(0, 1),
    [...prepare.slice(1), ...rest.slice(0, 1)],
    rest.slice(1),
  ].entries()) {
    if (part > 0) await work(takesMs / 2);
    if (!(await report(events))) return;
    from += events.length;
  }
  measured.delivered += 1;

  async function work(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= run.leaseMs / 3) {
      await pause(Math.min(left, run.leaseMs / 3));
      if (left > run.leaseMs / 3 && !(await report([]))) return;
    }
  }

  async function report(events: readonly JudgeEvent[]): Promise<boolean> {
    const started = performance.now();
    const answer = await insist(connection, `runs/${run.runId}/report`, { attempt: run.attempt, from, events });
    measured.reportsMs.push(performance.now() - started);
    if (answer.status === 200) return !ReportResponse.parse(JSON.parse(answer.text)).cancelled;
    measured.stale += 1;
    return false;
  }
}

interface Answer {
  status: number;
  text: string;
  /** Whether the request was retried. */
  isAgain: boolean;
}

/**
 * Retries a request until it is accepted or rejected as stale. @throws Error for a status that no runner should
 * receive.
 */
async function insist(connection: Connection, path: string, body: object): Promise<Answer> {
  for (let isAgain = false; ; isAgain = true) {
    const answer = await ask(connection, path, JSON.stringify(body)).catch(() => null);
    if (answer !== null && [200, 204, 409].includes(answer.status)) return { ...answer, isAgain };
    if (answer !== null && answer.status < 500 && answer.status !== 429) throw new Error(`${path}: ${answer.text}`);
    await pause(250 * (0.5 + Math.random()));
  }
}

function ask({ url, token, agent }: Connection, path: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const asking = request(`${url}/api/v1/runner/${path}`, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

/** Returns a machine; all machines are of the same model. */
function machineOf(name: string): Machine {
  return {
    hostname: name,
    os: "Linux",
    arch: "x86_64",
    cpu: { model: "Simulated CPU", count: 2, clockMhz: null, measured: null },
    memoryBytes: 8_000_000_000,
    accelerators: [],
    runtime: null,
    driver: null,
    python: "3.13.1",
    frameworks: {},
    sandbox: "bubblewrap",
    testerVersion: "1",
  };
}

/** Returns the judge's events of a run that passes. */
function eventsOf({ mode }: Claimed, message: string): { prepare: JudgeEvent[]; rest: JudgeEvent[] } {
  const stage = (name: Stage, inside: JudgeEvent[]): JudgeEvent[] => [
    { type: "stage_started", stage: name, cases: inside.length },
    ...inside,
    { type: "stage_finished", stage: name, passed: true, durationNs: 1e6 },
  ];
  const finished = (name: Stage): JudgeEvent => ({
    type: "case_finished",
    stage: name,
    index: 0,
    case: { size: 8, seed: 2 },
    status: "passed",
    message: null,
    mismatch: null,
    bytes: null,
    operations: null,
    outputBytes: null,
    rounds: name === "test" ? [] : Array.from({ length: 8 }, () => ({ candidateNs: [1e5], referenceNs: [2e5] })),
    summary: null,
    stopped: null,
  });
  const stages: Stage[] =
    mode === "test" ? ["test"] : mode === "benchmark" ? ["test", "benchmark"] : ["test", "ranked"];
  const verdict: JudgeEvent = { type: "verdict", verdict: "passed", failureClass: null, message, detail: null };
  return {
    prepare: stage("prepare", []),
    rest: [...stages.flatMap((name) => stage(name, [finished(name)])), verdict],
  };
}
