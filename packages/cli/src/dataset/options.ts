/** Options shared by the commands that read a dataset. */
import type { Option } from "../command/command.ts";

export const DATA_OPTIONS = {
  data: {
    type: "string",
    short: "d",
    value: "DIR",
    help: "The dataset: a folder, or a Parquet file",
  },
} as const satisfies Record<string, Option>;

export const FILTER_OPTIONS = {
  problem: { type: "string", short: "p", value: "NAME", help: "One problem only" },
  target: { type: "string", short: "t", value: "NAME", help: "One target only" },
} as const satisfies Record<string, Option>;

export const FORMATS = ["table", "json", "csv", "parquet"] as const;
export type Format = (typeof FORMATS)[number];

export const OUTPUT_OPTIONS = {
  format: { type: "string", short: "f", choices: FORMATS, default: "table", help: "What is written" },
  out: { type: "string", short: "o", value: "FILE", help: "Where it goes, instead of here" },
} as const satisfies Record<string, Option>;

export const DATA_NOTE =
  "Without --data the current folder is read if it holds a dataset, else the newest download. The files may be those of " +
  "a snapshot or of the corpus that exists, in either of its schemas.";

export const PLAUSIBLE_NOTE =
  "Times below 100 ns are left out, since no kernel can be started in less; how many were is told.";
