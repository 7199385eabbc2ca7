import {
  CANARY_CASES,
  scoreRun,
  type CanaryReport,
  type CanaryResponse,
  type JudgeEvent,
  type Rounds,
} from "@kernelbot/core";
import type { Tester } from "@kernelbot/tester";
import { CANARY_SOURCE, canaryProblem, canaryVersion } from "./canary-problem.ts";
import type { Log } from "../log.ts";

interface CanaryParts {
  target: string;
  name: string;
  tester: Tester;
  /** Sends a report to the server. */
  send: (report: CanaryReport, signal: AbortSignal) => Promise<CanaryResponse>;
  log: Log;
}

/**
 * Times the canary, a fixed kernel, while the runner is idle. A claimed run takes precedence: the canary is
 * stopped and repeated later.
 */
export class Canary {
  readonly #parts: CanaryParts;
  #current: { done: Promise<void>; stopping: AbortController } | undefined;

  constructor(parts: CanaryParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  start(): void {
    if (this.#current !== undefined) return;
    const stopping = new AbortController();
    const done = this.#timeAndReport(stopping.signal).finally(() => (this.#current = undefined));
    this.#current = { done, stopping };
  }

  /** Stops the canary. Resolves when the tester is free. */
  async stop(): Promise<void> {
    this.#current?.stopping.abort();
    await this.#current?.done;
  }

  async #timeAndReport(signal: AbortSignal): Promise<void> {
    const { target, name, tester, send, log } = this.#parts;
    try {
      const result = await this.#measure(signal);
      const report = { target, runner: name, machine: tester.machine, kernel: canaryVersion(target), ...result };
      const { message } = await send(report, signal);
      const times = result.timesNs?.map((ns, index) => `${CANARY_CASES[index]} ${(ns / 1e6).toPrecision(4)} ms`);
      log(`canary: ${times?.join(", ") ?? `failed, ${result.failure}`}; ${message}`);
    } catch (error) {
      if (signal.aborted) log("canary: interrupted by a run");
      else log(`canary: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #measure(signal: AbortSignal): Promise<Pick<CanaryReport, "timesNs" | "failure">> {
    const { target, tester } = this.#parts;
    const cases: Rounds[] = [];
    const onEvent = (event: JudgeEvent): void => {
      if (event.type === "case_finished" && event.stage === "benchmark") cases[event.index] = event.rounds;
    };
    const job = {
      type: "run",
      id: "canary",
      mode: "benchmark",
      target,
      problem: canaryProblem(target),
      source: CANARY_SOURCE,
      language: "py",
    } as const;
    try {
      const { verdict, message } = await tester.run(job, onEvent, signal);
      if (verdict !== "passed") return { timesNs: null, failure: `${verdict}: ${message ?? ""}`.slice(0, 1000) };
      return { timesNs: scoreRun(cases, "geom", target).cases.map(({ timeNs }) => timeNs.value), failure: null };
    } catch (error) {
      signal.throwIfAborted();
      return { timesNs: null, failure: (error instanceof Error ? error.message : String(error)).slice(0, 1000) };
    }
  }
}
