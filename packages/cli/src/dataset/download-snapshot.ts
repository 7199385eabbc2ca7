/** Download with a status line, shared by `dataset export` and `dataset download`. */
import { minimatch } from "minimatch";
import { formatBytes, KernelBotError, quote, type SnapshotDetails, type SnapshotManifest } from "@kernelbot/core";
import type { Connection } from "../config/config.ts";
import { UsageError } from "../command/exit.ts";
import { untilInterrupted } from "../command/interrupt.ts";
import { openStatusLine } from "../output/status-line.ts";
import { terminalOf } from "../output/terminal.ts";
import { formatCount, jsonDocument } from "../output/text.ts";
import { downloadSnapshot } from "./snapshot-files.ts";

export interface Fetching {
  out: string;
  only?: string | undefined;
  json: boolean;
}

/** Downloads a ready snapshot and checks each file. @throws Interrupted after Ctrl-C; downloaded files are kept. */
export async function fetchSnapshot(
  { client }: Connection,
  snapshot: SnapshotDetails,
  { out, only, json }: Fetching,
): Promise<void> {
  const manifest = manifestOf(snapshot);
  const files = manifest.files.filter(({ path }) => only === undefined || minimatch(path, only));
  if (files.length === 0) {
    throw new UsageError(
      `no file of snapshot ${snapshot.id} matches ${JSON.stringify(only)}; try --only "*/submissions.parquet"`,
    );
  }
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const status = openStatusLine(json);
  let bytes = 0;
  const message = `Interrupted. Partial files are in ${out}; to resume, run the same command again.`;
  try {
    const done = await untilInterrupted(message, (signal) =>
      downloadSnapshot(client, manifest, files, out, (more) => {
        signal.throwIfAborted();
        bytes += more;
        status.show(() => `${formatBytes(bytes)} of ${formatBytes(total)}`);
      }),
    );
    status.end();
    if (json) {
      process.stdout.write(`${jsonDocument({ snapshot: snapshot.id, folder: out, files: done })}\n`);
      return;
    }
    const kept = done.filter((file) => file.kept).length;
    const before = kept === 0 ? "" : `, of which ${kept} already existed`;
    terminalOf(process.stdout).print([
      `Downloaded snapshot ${snapshot.id} to ${out}: ${formatCount(done.length, "file")}, ${formatBytes(total)}${before}. All checksums match.`,
      ...(manifest.provisional ? [PROVISIONAL] : []),
    ]);
  } finally {
    status.end();
  }
}

/** Notice shown for a provisional snapshot. */
export const PROVISIONAL =
  "Provisional: runs were unfinished when it was made. A later snapshot has more rows, and ranks may differ.";

function manifestOf({ id, state, message, manifest }: SnapshotDetails): SnapshotManifest {
  if (manifest !== null) return manifest;
  if (state === "failed") throw new KernelBotError("unavailable", `Snapshot ${id} failed: ${message}.`);
  throw new KernelBotError("conflict", `Snapshot ${id} is ${quote(state)}; wait until it is ready.`);
}
