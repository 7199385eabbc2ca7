import type { Feature } from "../feature.ts";
import { RUNS_TABLES } from "./personal-data.ts";
import { receiptEndpoints } from "./routes/receipts.ts";
import { runEndpoints } from "./routes/runs.ts";

export const runs: Feature = {
  name: "runs",
  personalData: RUNS_TABLES,
  otherTables: ["signing_key"],
  endpoints: [...runEndpoints, ...receiptEndpoints],
};
