/** Watches an entry until nothing of it is on its way. */
import { KERNEL_STATES, type Client, type EntryProgress } from "@kernelbot/core";
import { untilInterrupted } from "../interrupt.ts";
import { progressWords } from "../render/entries.ts";
import { elapsed } from "../render/words.ts";
import { openStatusLine } from "../status-line.ts";

/**
 * Shows how far it is whenever that changes; where the connection breaks, it goes on.
 * @throws Interrupted after Ctrl-C; the entry goes on.
 */
export async function followEntry(client: Client, id: number, json: boolean): Promise<void> {
  const status = openStatusLine(json);
  const startedMs = Date.now();
  const message =
    `Stopped watching; entry ${id} goes on. ` +
    `To go on: kernelbot kernelbench watch ${id}. To stop it: kernelbot kernelbench stop ${id}`;
  let last = "";
  try {
    await untilInterrupted(message, async (signal) => {
      for await (const { progress } of client.kernelbench.progress(id, { signal })) {
        status.show(() => `${bar(progress)} ${progressWords(progress)}, ${elapsed(Date.now() - startedMs)}`);
        const line = progressWords(progress);
        if (line !== last) status.tell(line);
        last = line;
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
