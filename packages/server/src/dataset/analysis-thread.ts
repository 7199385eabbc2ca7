/** Worker thread that analyses one competition: comparing its sources occupies a processor until it ends. */
import { parentPort, workerData } from "node:worker_threads";
import { analyse } from "./analysis-tables.ts";

parentPort?.postMessage(await analyse(workerData as string));
