/** Options shared by the commands that read a dataset. */
import type { Option } from "../command/command.ts";

export const DATA_OPTIONS = {
  data: {
    type: "string",
    short: "d",
    value: "DIR",
    help: "Dataset: a folder or a Parquet file",
  },
} as const satisfies Record<string, Option>;

export const FILTER_OPTIONS = {
  problem: { type: "string", short: "p", value: "NAME", help: "Only this problem" },
  target: { type: "string", short: "t", value: "NAME", help: "Only this target" },
} as const satisfies Record<string, Option>;

export const FORMATS = ["table", "json", "csv", "parquet"] as const;
export type Format = (typeof FORMATS)[number];

export const OUTPUT_OPTIONS = {
  format: { type: "string", short: "f", choices: FORMATS, default: "table", help: "Output format" },
  out: { type: "string", short: "o", value: "FILE", help: "Write the output to FILE (default: standard output)" },
} as const satisfies Record<string, Option>;

export const DATA_NOTE =
  "Without --data, reads the current folder if it contains a dataset, else the newest download. Supports snapshots and both " +
  "schemas of the existing corpus.";

export const PLAUSIBLE_NOTE =
  "Leaves out runtimes below 100 ns, which are shorter than any kernel launch, and prints their number.";
