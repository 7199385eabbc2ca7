/** Worker thread that makes a snapshot: encoding and compressing occupy a processor until it is done. */
import { workerData } from "node:worker_threads";
import { makeNext, type Making } from "./make.ts";

await makeNext(workerData as Making);
