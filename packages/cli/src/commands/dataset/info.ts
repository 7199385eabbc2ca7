import { formatBytes } from "@kernelbot/core";
import { tablesOf } from "@kernelbot/dataset";
import { stat } from "node:fs/promises";
import { defineCommand } from "../../command/command.ts";
import { numbers } from "../../dataset/result-columns.ts";
import { PROVISIONAL } from "../../dataset/download-snapshot.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, OUTPUT_OPTIONS } from "../../dataset/options.ts";
import { withDataset } from "../../dataset/open-dataset.ts";
import { EXIT } from "../../command/exit.ts";
import { moment } from "../../render/format.ts";
import { formatCount, listed } from "../../output/text.ts";

interface TableInfo {
  table: string;
  files: number;
  rows: number;
  bytes: number;
  columns: string[];
}

export const command = defineCommand({
  name: "dataset info",
  positionals: [],
  options: { ...DATA_OPTIONS, ...OUTPUT_OPTIONS },
  notes: ["Shows the size and the columns of each table.", DATA_NOTE],
  run: async ({ data, ...options }) => {
    const { path, manifest, tables } = await withDataset(data, async (dataset) => ({
      ...dataset,
      tables: await Promise.all([...tablesOf(dataset).values()].map(infoOf)),
    }));
    await emit<TableInfo>(
      {
        rows: tables,
        names: ["table", "files", "rows", "bytes", "columns"],
        columns: [
          { title: "table", cell: ({ table }) => table },
          numbers("files", ({ files }) => String(files)),
          numbers("rows", ({ rows }) => rows.toLocaleString("en-US")),
          numbers("size", ({ bytes }) => formatBytes(bytes)),
          { title: "columns", shrinks: true, cell: ({ columns }) => columns.join(", ") },
        ],
        empty: `${path} has no tables.`,
        below: () =>
          manifest === null
            ? []
            : [
                "",
                `Snapshot ${manifest.id} of ${listed(manifest.competitions.map(({ name }) => name))}, as of ${moment(manifest.asOf)}.`,
                ...(manifest.provisional ? [PROVISIONAL] : []),
                `${formatCount(manifest.withdrawn.length, "submission")} of earlier snapshots withdrawn.`,
              ],
      },
      options,
    );
    return EXIT.passed;
  },
});

async function infoOf({
  name,
  files,
  columns,
}: {
  name: string;
  files: readonly { path: string; rows: number }[];
  columns: readonly { name: string }[];
}): Promise<TableInfo> {
  const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path)).size));
  return {
    table: name,
    files: files.length,
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    columns: columns.map((column) => column.name),
  };
}
