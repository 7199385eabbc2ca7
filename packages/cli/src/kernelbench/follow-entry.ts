/** Watches an entry until nothing of it is on its way. */
import { setTimeout as sleep } from "node:timers/promises";
import { kernelKeyText, KERNEL_STATES, type Client, type EntryProgress } from "@kernelbot/core";
import { untilInterrupted } from "../interrupt.ts";
import { endedLine, progressWords } from "../render/entries.ts";
import { elapsed } from "../render/words.ts";
import { openStatusLine } from "../status-line.ts";

/** A log is told of kernels that ended at most once in so long: to know of one, the whole entry is read. */
const LOOK_MS = 2000;

/**
 * Shows how far it is in a terminal whenever that changes, and elsewhere tells each kernel as it ends, those that had ended
 * before too; where the connection breaks, it goes on.
 * @throws Interrupted after Ctrl-C; the entry goes on.
 */
export async function followEntry(client: Client, id: number, json: boolean): Promise<void> {
  const status = openStatusLine(json);
  const startedMs = Date.now();
  const message =
    `Stopped watching; entry ${id} goes on. ` +
    `To go on: kernelbot kernelbench watch ${id}. To stop it: kernelbot kernelbench stop ${id}`;
  /** The runs that were told, by the keys of their kernels: another run of one that was lost is told again. */
  const told = new Map<string, number | null>();
  /** How many had ended when the entry was read last, and when it may be read again. */
  let known = 0;
  let nextMs = 0;
  let isFirst = true;

  async function tellEnded(): Promise<void> {
    const { results } = await client.kernelbench.entry(id);
    nextMs = Date.now() + LOOK_MS;
    const ended = results.filter(({ state }) => state === "done" || state === "lost");
    known = ended.length;
    for (const result of ended) {
      const key = kernelKeyText(result);
      if (told.get(key) === result.runId) continue;
      told.set(key, result.runId);
      const all = String(results.length);
      status.tell(`${String(told.size).padStart(all.length)}/${all} ${endedLine(result)}`);
    }
  }

  try {
    await untilInterrupted(message, async (signal) => {
      for await (const { progress, finished } of client.kernelbench.progress(id, { signal })) {
        const line = progressWords(progress);
        status.show(() => `${bar(progress)} ${line}, ${elapsed(Date.now() - startedMs)}`);
        if (isFirst) status.tell(line);
        isFirst = false;
        if (!status.tells || (!finished && progress.done + progress.lost <= known)) continue;
        if (!finished) await sleep(Math.max(0, nextMs - Date.now()), undefined, { signal });
        await tellEnded();
      }
    });
  } finally {
    status.end();
  }
}

const BAR_COLUMNS = 24;

/** `━━━━━━━━────` */
function bar(progress: EntryProgress["progress"]): string {
  const all = KERNEL_STATES.reduce((sum, state) => sum + progress[state], 0);
  const ended = progress.done + progress.lost;
  const full = all === 0 ? 0 : Math.floor((BAR_COLUMNS * ended) / all);
  return "━".repeat(full) + "─".repeat(BAR_COLUMNS - full);
}
