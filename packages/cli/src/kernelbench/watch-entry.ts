/** Watches a KernelBench entry until no kernel is queued or running. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@kernelbot/api";
import { kernelKeyText, KERNEL_STATES, type KernelBenchEntryProgress } from "@kernelbot/core";
import { untilInterrupted } from "../command/interrupt.ts";
import { endedLine, progressWords } from "../render/entries.ts";
import { elapsed } from "../render/format.ts";
import { openStatusLine } from "../output/status-line.ts";

/**
 * Minimum time in ms between two reads of the whole entry, which are needed to log ended kernels without a terminal.
 */
const READ_INTERVAL_MS = 2000;

/**
 * Shows the progress in a terminal whenever it changes; elsewhere prints a line per ended kernel, those that ended
 * before included. Reconnects when the connection breaks.
 * @throws Interrupted after Ctrl-C; the entry continues.
 */
export async function followEntry(client: Client, id: number, json: boolean): Promise<void> {
  const status = openStatusLine(json);
  const startedMs = Date.now();
  const message =
    `Stopped watching; entry ${id} continues. ` +
    `To resume watching: kernelbot kernelbench watch ${id}. To stop it: kernelbot kernelbench stop ${id}`;
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

  try {
    await untilInterrupted(message, async (signal) => {
      for await (const { progress, finished } of client.kernelbench.progress(id, { signal })) {
        const line = progressWords(progress);
        status.show(() => `${bar(progress)} ${line}, ${elapsed(Date.now() - startedMs)}`);
        if (isFirst) status.log(line);
        isFirst = false;
        if (!status.logsEvents || (!finished && progress.done + progress.lost <= known)) continue;
        if (!finished) await sleep(Math.max(0, nextMs - Date.now()), undefined, { signal });
        await logEnded();
      }
    });
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
