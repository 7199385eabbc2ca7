/** Worker thread that builds a snapshot: encoding and compressing occupy a processor until it is done. */
import { workerData } from "node:worker_threads";
import { buildSnapshot, type BuildRequest } from "./build-snapshot.ts";

await buildSnapshot(workerData as BuildRequest);
