/** The thread in which a competition is analysed: comparing its sources takes a processor for as long as it lasts. */
import { parentPort, workerData } from "node:worker_threads";
import { analyse } from "./analysis-tables.ts";

parentPort?.postMessage(await analyse(workerData as string));
