/**
 * Runs the export in a separate process to measure its memory. Takes the arguments DATABASE and DIRECTORY and prints a
 * line of JSON.
 */
import { openDatabase } from "../../packages/server/src/db/database.ts";
import { buildSnapshots } from "../../packages/server/src/dataset/build.ts";

const [url, directory] = process.argv.slice(2) as [string, string];
const database = await openDatabase({ url });
const begun = performance.now();
await buildSnapshots(database, directory);
const seconds = (performance.now() - begun) / 1000;
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
await database.close();
console.log(
  JSON.stringify({ seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: (maxRSS * 1024) / 1e6 }),
);
