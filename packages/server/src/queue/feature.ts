import type { Feature } from "../feature.ts";
import { leaseSweep } from "./expired-leases.ts";
import { QUEUE_TABLES } from "./personal-data.ts";
import { queueEndpoints, queuePages } from "./routes/queue.ts";

export const queue: Feature = {
  name: "queue",
  personalData: QUEUE_TABLES,
  otherTables: ["queue_clock"],
  endpoints: queueEndpoints,
  pages: queuePages,
  jobs: ({ database }) => [leaseSweep(database)],
};
