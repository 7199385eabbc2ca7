import { existsSync } from "node:fs";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { PROBLEMS_TABLES } from "./personal-data.ts";
import type { Feature } from "../feature.ts";
import { problemAdminPages } from "./routes/problem-admin-pages.ts";
import { problemPages } from "./routes/problem-pages.ts";
import { problemEndpoints } from "./routes/problems.ts";
import { syncProblems } from "./sync.ts";

export const problems: Feature = {
  name: "problems",
  personalData: PROBLEMS_TABLES,
  otherTables: ["problem", "seed_master"],
  endpoints: problemEndpoints,
  pages: [...problemPages, ...problemAdminPages],
  prepare: ({ database, options, patiently }) => patiently(() => takeProblems(database, options.problems)),
};

/** Syncs the problems of a folder. Invalid problems are reported on standard error and skipped. */
async function takeProblems(database: Database, folder: string): Promise<void> {
  if (!existsSync(folder)) throw new KernelBotError("bad_request", `--problems: folder ${quote(folder)} not found`);
  const { problems: taken, broken, kept } = await syncProblems(database, folder, { keepForeign: true });
  for (const { name, message } of kept) console.error(`problem ${name} unchanged: ${message}`);
  for (const { path, message } of broken) console.error(`problem ${path} skipped: ${message}`);
  if (taken.length + kept.length === 0) console.error(`no problem found in ${folder}; expected SET/PROBLEM/task.yml`);
}
