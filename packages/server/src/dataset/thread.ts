/** The thread in which a snapshot is made: encoding and compressing take a processor for as long as it lasts. */
import { workerData } from "node:worker_threads";
import { makeNext, type Making } from "./make.ts";

await makeNext(workerData as Making);
