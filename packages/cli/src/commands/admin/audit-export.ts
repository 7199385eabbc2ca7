import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { extname } from "node:path";
import { pipeline } from "node:stream/promises";
import { formatBytes, KernelBotError, quote } from "@kernelbot/core";
import { UsageError } from "../../command/exit.ts";
import { defineRequest } from "../../request/request.ts";

/** Formats by the extension of the file. */
const FORMATS: Readonly<Record<string, "csv" | "ndjson">> = { ".csv": "csv", ".jsonl": "ndjson", ".ndjson": "ndjson" };

export const command = defineRequest({
  name: "admin audit-export",
  positionals: ["FILE"],
  options: {
    since: { type: "string", value: "TIME", help: "Only entries from this date or time on, such as 2026-03-01" },
    until: { type: "string", value: "TIME", help: "Only entries before this date or time" },
  },
  notes: [
    "Writes all entries, oldest first: FILE.ndjson has one JSON object per line, FILE.csv is for spreadsheets. Dates and times are UTC. The export itself is recorded in the log.",
  ],
  request: async ({ client }, { since, until }, file) => {
    const format = FORMATS[extname(file).toLowerCase()];
    if (format === undefined) throw new UsageError(`${quote(file)}: use a name that ends in .ndjson or .csv`);
    const part = `${file}.part`;
    const written = createWriteStream(part);
    try {
      await pipeline(client.exportAudit({ format, since, until }), written);
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true });
      if (error instanceof KernelBotError) throw error;
      throw new UsageError(
        `${quote(file)} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    return { file, format, sizeBytes: written.bytesWritten };
  },
  lines: ({ file, sizeBytes }) => [`Wrote the audit log to ${file}: ${formatBytes(sizeBytes)}.`],
});
