import { setTimeout as delay } from "node:timers/promises";
import type { Claimed, VerdictReached } from "@kernelbot/core";
import { type Tester, TesterFailure } from "@kernelbot/tester";
import { Refusal, type ServerClient } from "./client.ts";
import type { Log } from "./log.ts";
import type { Options } from "./options.ts";
import { ProblemCache } from "./problems.ts";
import { type Ending, Reporter } from "./reporter.ts";

/** How long the server may hold a claim open: under the 30 s after which many proxies cut a silent connection. */
const CLAIM_WAIT_MS = 25_000;
const LONGEST_REST_MS = 60_000;

export interface AgentParts {
  options: Pick<Options, "target" | "name" | "until">;
  client: ServerClient;
  tester: Tester;
  log: Log;
  /** Aborted: claim no more, finish what is under way. */
  drain: AbortSignal;
  /** Aborted, after `drain`: leave at once; the lease of the run under way will run out. */
  stop: AbortSignal;
}

/**
 * Claims, judges and reports, one run after another, until `drain` is aborted or `options.until` has come.
 * @throws Refusal when the server does not take this runner.
 */
export async function runAgent(parts: AgentParts): Promise<void> {
  const { options, client, tester, log, drain } = parts;
  const problems = new ProblemCache(client);
  const waitMs = options.until === "nothing waits" ? 0 : CLAIM_WAIT_MS;
  /** Infrastructure errors in a row. */
  let failures = 0;
  try {
    while (!drain.aborted) {
      if (failures > 0) await rest(failures, drain);
      let machine;
      try {
        machine = await tester.ready();
      } catch (error) {
        failures++;
        logFailure(log, "no run is claimed", error);
        continue;
      }
      const request = { target: options.target, runner: options.name, machine, waitMs };
      const claimed = await client.claim(request, drain);
      if (claimed === null) {
        if (options.until === "nothing waits") return;
        continue;
      }
      const sound = await judge(claimed, problems, parts);
      failures = sound ? 0 : failures + 1;
      if (options.until === "one run") return;
    }
  } catch (error) {
    if (!drain.aborted || error instanceof Refusal) throw error;
  }
}

/** Judges a claimed run and reports until the server has all of it. False when the infrastructure failed. */
async function judge(claimed: Claimed, problems: ProblemCache, parts: AgentParts): Promise<boolean> {
  const { client, tester, log, stop } = parts;
  const what = `run ${claimed.runId}, attempt ${claimed.attempt}`;
  const started = performance.now();
  const reporter = new Reporter(client, claimed, stop);
  const over = new AbortController();
  const ended = reporter.ended.finally(() => over.abort());
  ended.catch(() => undefined); // It is awaited below, when the tester is done.
  const unwanted = AbortSignal.any([stop, over.signal]);

  let verdict: VerdictReached | undefined;
  try {
    const problem = await problems.get(claimed.problemVersion, unwanted);
    log(`${what}: ${problem.spec.name}, ${claimed.mode}`);
    const { mode, target, source } = claimed;
    const job = { type: "run", id: `${claimed.runId}.${claimed.attempt}`, mode, target, problem, source } as const;
    verdict = await tester.run(job, (event) => reporter.push(event), unwanted);
  } catch (error) {
    if (!unwanted.aborted) {
      verdict = infraError(error);
      logFailure(log, what, error);
      reporter.push(verdict);
    }
  }
  const ending = await ended;
  log(`${what}: ${describe(ending, verdict)} in ${Math.round(performance.now() - started)} ms`);
  return verdict?.verdict !== "infra_error";
}

/** The participant's sentence has no word of this machine's inside; those are for the operator's log. */
function infraError(error: unknown): VerdictReached {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `the runner could not judge it: ${reason}`.slice(0, 1000);
  return { type: "verdict", verdict: "infra_error", failureClass: null, message, detail: null };
}

function logFailure(log: Log, what: string, error: unknown): void {
  log(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  if (!(error instanceof TesterFailure)) return;
  for (const line of error.log.split("\n")) if (line.trim() !== "") log(`  tester: ${line}`);
}

function describe(ending: Ending, verdict: VerdictReached | undefined): string {
  switch (ending.how) {
    case "delivered":
      return [verdict?.verdict, verdict?.failureClass].filter(Boolean).join(", ");
    case "cancelled":
      return "cancelled by its owner, stopped";
    case "stale":
      return "given to another attempt meanwhile, dropped";
    case "refused":
      return `dropped, since ${ending.why}`;
  }
}

/** A broken machine must not eat the queue: it waits longer after each failure. */
async function rest(failures: number, signal: AbortSignal): Promise<void> {
  await delay(Math.min(500 * 2 ** failures, LONGEST_REST_MS), undefined, { signal });
}
