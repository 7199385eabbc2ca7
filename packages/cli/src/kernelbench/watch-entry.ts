/** Watches a KernelBench entry until no kernel is queued or running. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@kernelbot/api";
import {
  canRun,
  formatAvailability,
  kernelKeyText,
  KERNEL_STATES,
  type KernelBenchEntryProgress,
  type KernelBenchEntrySummary,
} from "@kernelbot/core";
import { EXIT } from "../command/exit.ts";
import { untilInterrupted } from "../command/interrupt.ts";
import type { Connection } from "../config/config.ts";
import { endedLine, progressWords } from "../render/entries.ts";
import { withResume } from "../submission/resume.ts";
import { formatGivesUp, elapsed } from "../render/format.ts";
import { QUEUE_POLL_MS, RunnerWait } from "../submission/runner-wait.ts";
import { exitOfEntry, printEntry } from "./print-entry.ts";
import { openStatusLine } from "../output/status-line.ts";

/**
 * Minimum time in ms between two reads of the whole entry, which are needed to log ended kernels without a terminal.
 */
const READ_INTERVAL_MS = 2000;

/** Part of an entry by which it is watched. */
type WatchedEntry = Pick<KernelBenchEntrySummary, "id" | "target">;

export interface WatchOptions {
  json: boolean;
  /** How long to wait while no runner is connected, in milliseconds. */
  runnerTimeoutMs: number;
}

/**
 * Watches an entry until it has ended, or no runner could take its kernels for the time limit, and prints its metrics.
 * @returns the exit code.
 * @throws Interrupted after Ctrl-C; the entry continues.
 */
export async function watchEntry(
  connection: Connection,
  { id, target }: WatchedEntry,
  { json, runnerTimeoutMs }: WatchOptions,
): Promise<number> {
  const wait = new RunnerWait(runnerTimeoutMs);
  const next = `To resume watching: kernelbot kernelbench watch ${id}. To stop it: kernelbot kernelbench stop ${id}`;
  const entry = await withResume(`Entry ${id} continues. ${next}`, async () => {
    await follow(connection.client, { id, target }, json, wait, `Stopped watching; entry ${id} continues. ${next}`);
    return connection.client.kernelbench.entry(id);
  });
  printEntry(connection, entry, { json, failed: false });
  if (!wait.isOver) return exitOfEntry(entry);
  console.error(`No runner could take the kernels within ${wait.limit}; entry ${id} stays queued. ${next}`);
  return EXIT.platform;
}

/**
 * Returns a sentence if no runner of a target is online, with whether one will start: `no runner for H100 is connected;
 * 250 submissions queued; last seen never`. Null if one is online, or the request fails.
 */
export async function findMissingRunner(
  client: Client,
  target: string,
): Promise<{ sentence: string; isStranded: boolean } | null> {
  const queue = await client.queue().catch(() => null);
  const found = queue?.targets.find((each) => each.target === target);
  if (queue === null || found === undefined) return null;
  const { status, waiting, lastRunnerAt } = found;
  const sentence = formatAvailability(
    target,
    { status, queued: waiting, lastSeenAt: lastRunnerAt },
    new Date(queue.at),
  );
  return sentence === null ? null : { sentence, isStranded: !canRun(found) };
}

/**
 * Shows the progress in a terminal whenever it changes; elsewhere prints a line per ended kernel, those that ended
 * before included. Reconnects when the connection breaks.
 */
async function follow(
  client: Client,
  { id, target }: WatchedEntry,
  json: boolean,
  wait: RunnerWait,
  message: string,
): Promise<void> {
  const status = openStatusLine(json);
  const startedMs = Date.now();
  let latest: KernelBenchEntryProgress["progress"] | null = null;
  /** Runs already printed, by kernel key: another run of a lost kernel is printed again. */
  const printed = new Map<string, number | null>();
  /** Number of ended kernels at the last read, and the earliest time of the next read. */
  let known = 0;
  let nextMs = 0;
  let isFirst = true;

  async function logEnded(): Promise<void> {
    const { results } = await client.kernelbench.entry(id);
    nextMs = Date.now() + READ_INTERVAL_MS;
    const ended = results.filter(({ state }) => state === "done" || state === "lost");
    known = ended.length;
    for (const result of ended) {
      const key = kernelKeyText(result);
      if (printed.get(key) === result.runId) continue;
      printed.set(key, result.runId);
      const all = String(results.length);
      status.log(`${String(printed.size).padStart(all.length)}/${all} ${endedLine(result)}`);
    }
  }

  /** Polls the runners while kernels are queued and none is running; ends the reading when the wait is over. */
  async function pollRunners(reading: AbortSignal, end: () => void): Promise<void> {
    let shown: string | null = null;
    while (!reading.aborted && !wait.isOver) {
      const isWaiting = latest !== null && latest.queued > 0 && latest.running === 0;
      const missing = isWaiting ? await findMissingRunner(client, target) : null;
      wait.record(missing?.isStranded === true);
      const { givesUpAtMs } = wait;
      const gives = givesUpAtMs === null ? "" : `; ${formatGivesUp(givesUpAtMs)}`;
      const line = missing && `${missing.sentence}${gives}`;
      if (line !== null && line !== shown) status.log(line, true);
      shown = line;
      await wait.sleep(QUEUE_POLL_MS, reading);
    }
    end();
  }

  async function readProgress(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const reading = AbortSignal.any([signal, ended.signal]);
    let polling: Promise<void> | undefined;
    try {
      for await (const { progress, finished } of client.kernelbench.progress(id, { signal: reading })) {
        latest = progress;
        polling ??= pollRunners(reading, () => ended.abort());
        const line = progressWords(progress);
        status.show(() => `${bar(progress)} ${line}, ${elapsed(Date.now() - startedMs)}`);
        if (isFirst) status.log(line);
        isFirst = false;
        if (!status.logsEvents || (!finished && progress.done + progress.lost <= known)) continue;
        if (!finished) await sleep(Math.max(0, nextMs - Date.now()), undefined, { signal: reading });
        await logEnded();
      }
    } catch (error) {
      if (!wait.isOver || signal.aborted) throw error;
    } finally {
      ended.abort();
      await polling;
    }
  }

  try {
    await untilInterrupted(message, readProgress);
  } finally {
    status.end();
  }
}

const BAR_COLUMNS = 24;

/** Progress bar: `━━━━━━━━────`. */
function bar(progress: KernelBenchEntryProgress["progress"]): string {
  const all = KERNEL_STATES.reduce((sum, state) => sum + progress[state], 0);
  const ended = progress.done + progress.lost;
  const full = all === 0 ? 0 : Math.floor((BAR_COLUMNS * ended) / all);
  return "━".repeat(full) + "─".repeat(BAR_COLUMNS - full);
}
