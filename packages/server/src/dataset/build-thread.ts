/** Worker thread that builds a snapshot: encoding and compressing occupy a processor until it is done. */
import { workerData } from "node:worker_threads";
import { buildNextSnapshot, type BuildRequest } from "./build-snapshot.ts";

await buildNextSnapshot(workerData as BuildRequest);
