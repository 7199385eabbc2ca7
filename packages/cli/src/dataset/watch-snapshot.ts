/** Polls the state of a snapshot until a condition holds. */
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "@kernelbot/api";
import type { SnapshotDetails } from "@kernelbot/core";
import { untilInterrupted } from "../command/interrupt.ts";
import { openStatusLine } from "../output/status-line.ts";

const POLL_MS = 1000;

interface Following {
  json: boolean;
  /** Message after Ctrl-C. */
  stopped: string;
  isEnough: (snapshot: SnapshotDetails) => boolean;
  /** Formats the snapshot's progress as one line. */
  progress: (snapshot: SnapshotDetails) => string;
}

export async function followSnapshot(
  { datasets }: Pick<Client, "datasets">,
  id: number,
  { json, stopped, isEnough, progress }: Following,
): Promise<SnapshotDetails> {
  const status = openStatusLine(json);
  let last = "";
  try {
    return await untilInterrupted(stopped, async (signal) => {
      for (;;) {
        const snapshot = await datasets.get(id);
        if (isEnough(snapshot)) return snapshot;
        const line = progress(snapshot);
        status.show(() => line);
        if (line !== last) status.log(line);
        last = line;
        await pause(POLL_MS, undefined, { signal });
      }
    });
  } finally {
    status.end();
  }
}
