import { querySql, ENGINES, type ParquetRow, type Value } from "@kernelbot/dataset";
import { defineCommand } from "../../command/command.ts";
import { NONE } from "../../dataset/result-columns.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, OUTPUT_OPTIONS } from "../../dataset/options.ts";
import { withDataset } from "../../dataset/open-dataset.ts";
import { EXIT } from "../../command/exit.ts";
import { oneLine } from "../../output/text.ts";

/** Maximum number of characters of a table cell. Other formats contain the whole text. */
const CELL_CHARACTERS = 60;

export const command = defineCommand({
  name: "dataset query",
  positionals: ["SQL"],
  options: {
    ...DATA_OPTIONS,
    engine: {
      type: "string",
      choices: ENGINES,
      default: "auto",
      help: "Query engine; auto uses DuckDB if it is installed",
    },
    ...OUTPUT_OPTIONS,
  },
  notes: [
    "Tables: submissions, samples, code, problems, boards and leaderboards; corpus has rows with their code, and " +
      "deduplicated_submissions, successful_submissions and deduplicated_successful_submissions are subsets of it. kernelbot " +
      "dataset info lists those of a dataset, with their columns.",
    DATA_NOTE,
  ],
  run: async ({ data, engine, ...options }, sql) => {
    const { columns, rows } = await withDataset(data, (dataset) => querySql(dataset, sql, { engine }));
    await emit<ParquetRow>(
      {
        rows,
        names: columns,
        columns: columns.map((name) => ({
          title: oneLine(name),
          side: rows.some((row) => isNumber(row[name])) ? "right" : "left",
          cell: (row) => cellOf(row[name] ?? null),
        })),
        empty: "No rows.",
      },
      options,
    );
    return EXIT.passed;
  },
});

function isNumber(value: Value | undefined): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

function cellOf(value: Value): string {
  if (value === null) return NONE;
  const text = typeof value === "object" ? JSON.stringify(value, (_, inner: unknown) => exact(inner)) : String(value);
  const shown = oneLine(text.slice(0, 4 * CELL_CHARACTERS));
  return shown.length > CELL_CHARACTERS ? `${shown.slice(0, CELL_CHARACTERS)}…` : shown;
}

function exact(value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
