import { availableParallelism, loadavg } from "node:os";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { isProblemError, type Claimed, type JudgeEvent, type Machine, type VerdictEvent } from "@kernelbot/core";
import { openArtifactFolder, type Tester } from "@kernelbot/tester";
import { Canary } from "../canary/canary.ts";
import { Refusal, type ServerClient } from "../server/server-client.ts";
import type { Log } from "../log.ts";
import type { Options } from "../options.ts";
import { ProblemCache } from "./problem-cache.ts";
import { type Ending, Reporter } from "./reporter.ts";
import { traceRun } from "./run-trace.ts";

/**
 * Longest time in ms that the server may hold a claim open, below the 30 s after which many proxies close an idle
 * connection.
 */
const CLAIM_WAIT_MS = 25_000;
const LONGEST_PAUSE_MS = 60_000;
/** Interval in ms at which a paused runner checks whether it still is. */
const PAUSED_MS = 5_000;

export interface AgentParts {
  options: Pick<Options, "target" | "name" | "until" | "restAfterMs" | "endWhenIdleMs" | "endAt" | "image">;
  /** Interval in ms at which a paused runner checks whether it still is. */
  pausedMs?: number;
  client: ServerClient;
  tester: Tester;
  log: Log;
  /** Aborted to drain: claim no more runs, finish the current one. */
  drain: AbortSignal;
  /** Aborted after `drain` to leave at once; the lease of the current run then expires. */
  stop: AbortSignal;
}

/**
 * Claims, judges and reports one run after another, until `drain` is aborted or one of the options ends the runner.
 * @throws Refusal when the server rejects this runner.
 */
export async function runAgent(parts: AgentParts): Promise<void> {
  const { options, client, tester, log, drain, pausedMs = PAUSED_MS } = parts;
  const problems = new ProblemCache(client);
  const { target, name } = options;
  const instance = randomUUID();
  const canary = new Canary({ target, name, tester, send: (report, signal) => client.canary(report, signal), log });
  /** A runner that ends by itself does not wait to be resumed and needs no canary baseline. */
  const isLasting = options.until === "stopped" && options.endWhenIdleMs === null;
  /** Reason of the pause; undefined when not paused. */
  let paused: string | undefined;
  /** Number of consecutive infrastructure errors. */
  let failures = 0;
  let busyAt = performance.now();
  try {
    while (!drain.aborted) {
      if (failures > 0) await pause(failures, drain);
      const untilEndMs = (options.endAt?.getTime() ?? Infinity) - Date.now();
      if (untilEndMs <= 0) return log("end time reached");
      if (canary.isRunning) busyAt = performance.now();
      const idleMs = performance.now() - busyAt;
      const untilIdleMs = (options.endWhenIdleMs ?? Infinity) - idleMs;
      const resting = idleMs >= options.restAfterMs;
      let machine: Machine;
      try {
        machine = resting ? await rest(tester) : await tester.ready();
      } catch (error) {
        failures++;
        log(`not claiming runs: ${messageOf(error)}`);
        continue;
      }
      const untilRestMs = resting ? CLAIM_WAIT_MS : Math.ceil(options.restAfterMs - idleMs);
      const waitMs =
        options.until === "queue empty"
          ? 0
          : Math.min(untilRestMs, CLAIM_WAIT_MS, wholeMs(untilIdleMs), wholeMs(untilEndMs));
      const isFree = isLasting && !canary.isRunning;
      const described = options.image === null ? machine : { ...machine, image: options.image };
      const load = (loadavg()[0] ?? 0) / availableParallelism();
      const request = { target, runner: name, machine: described, waitMs, instance, canary: isFree, load };
      const claimed = await client.claim(request, drain);
      if (claimed !== undefined && "order" in claimed) {
        if (claimed.order === "canary") canary.start();
        else if (claimed.order === "end") return log(`drained ${claimed.reason}`);
        else {
          if (claimed.reason !== paused) log(`paused ${claimed.reason}; not claiming runs until resumed`);
          paused = claimed.reason;
          if (!isLasting) return;
          await delay(pausedMs, undefined, { signal: drain });
        }
        continue;
      }
      if (paused !== undefined) log("resumed: claiming runs");
      paused = undefined;
      if (claimed === undefined) {
        if (options.until === "queue empty") return;
        if (performance.now() - busyAt >= (options.endWhenIdleMs ?? Infinity)) {
          return log("idle timeout reached");
        }
        continue;
      }
      await canary.stop();
      const sound = await judge(claimed, problems, parts);
      failures = sound ? 0 : failures + 1;
      busyAt = performance.now();
      if (options.until === "one run") return;
    }
  } catch (error) {
    if (!drain.aborted || error instanceof Refusal) throw error;
  } finally {
    await canary.stop();
  }
}

/** Rounds a remaining time up to whole milliseconds, at least 0, as the server's schema requires. */
function wholeMs(ms: number): number {
  return Math.max(0, Math.ceil(ms));
}

/**
 * Stops the tester's processes while the runner is idle. Returns the machine as described before, since the tester
 * restarts on the same one.
 */
async function rest(tester: Tester): Promise<Machine> {
  await tester.rest();
  return tester.machine;
}

/**
 * Judges a claimed run and reports until the server has stored every event. Returns false when the infrastructure
 * failed.
 */
async function judge(claimed: Claimed, problems: ProblemCache, parts: AgentParts): Promise<boolean> {
  const { client, tester, log, stop } = parts;
  const what = `run ${claimed.runId}, attempt ${claimed.attempt}`;
  const started = performance.now();
  await using folder = claimed.mode === "profile" ? await openArtifactFolder() : null;
  const traced = traceRun(claimed);
  const reporter = new Reporter(client, claimed, stop, folder?.path);
  /** Aborted when the result is no longer needed: the run was cancelled, superseded, rejected or stopped. */
  const over = new AbortController();
  const reported = reporter.ended.finally(() => over.abort());
  reported.catch(() => undefined); // Awaited below, after the tester has finished.

  const onEvent = (event: JudgeEvent): void => {
    traced.record(event);
    reporter.push(event);
  };
  let verdict: VerdictEvent | undefined;
  try {
    const problem = await problems.get(claimed.problemVersion, over.signal);
    log(`${what}: ${problem.spec.name}, ${claimed.mode}`);
    const { mode, target, source, language, account, seed, rival } = claimed;
    const id = `${claimed.runId}.${claimed.attempt}`;
    const job = { type: "run", id, mode, target, problem, source, language, account, seed, rival } as const;
    const forArtifacts = folder === null ? {} : { artifactFolder: folder.path };
    verdict = await tester.run({ ...job, ...forArtifacts }, onEvent, over.signal);
  } catch (error) {
    if (!over.signal.aborted) {
      verdict = infraError(error);
      onEvent(verdict);
    }
  }
  const ending = await reported.finally(() => traced.end(verdict === undefined ? "abandoned" : "reported"));
  log(`${what}: ${describe(ending, verdict)} in ${Math.round(performance.now() - started)} ms`);
  // A run that was cancelled after the claim has no problem for the runner.
  return ending.how === "cancelled" || verdict?.verdict !== "infra_error" || isProblemError(verdict);
}

function infraError(error: unknown): VerdictEvent {
  const message = `the runner could not judge the submission: ${messageOf(error)}`.slice(0, 1000);
  return { type: "verdict", verdict: "infra_error", failureClass: null, message, detail: null };
}

function describe(ending: Ending, verdict: VerdictEvent | undefined): string {
  switch (ending.how) {
    case "delivered":
      // Messages for the participant are not logged; those about infrastructure errors are.
      return [verdict?.verdict, verdict?.failureClass ?? (verdict?.verdict === "infra_error" && verdict.message)]
        .filter(Boolean)
        .join(", ");
    case "cancelled":
      return "stopped: cancelled by its owner";
    case "stale":
      return "stopped: the lease expired and the run was requeued";
    case "refused":
      return `stopped: ${ending.why}`;
  }
}

/**
 * Pauses after infrastructure errors, longer after each, so that a broken machine does not fail one queued run after
 * another.
 */
async function pause(failures: number, signal: AbortSignal): Promise<void> {
  await delay(Math.min(500 * 2 ** failures, LONGEST_PAUSE_MS), undefined, { signal });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
