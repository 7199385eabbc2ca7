/** What the routes need of the rest of the house. */
import type { Logger } from "pino";
import type { Asset } from "@kernelbot/web";
import type { Database } from "../db/database.ts";
import type { EventHub } from "../runs/event-hub.ts";
import type { SharedReads } from "./shared-reads.ts";

export interface Faces {
  database: Database;
  hub: EventHub;
  log: Logger;
  assets: ReadonlyMap<string, Asset>;
  reads: SharedReads;
  /** Aborted when the server stops: long polls and streams end. */
  closing: AbortSignal;
}

export interface HttpEnv {
  Variables: { requestId: string };
}
