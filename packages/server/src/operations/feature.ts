import type { Feature } from "../feature.ts";
import { openBackupFolder } from "./backups/folder.ts";
import { backupJobs } from "./backups/schedule.ts";
import { adminPages } from "./routes/admin-pages.ts";
import { statusEndpoints, statusPages } from "./routes/status.ts";

export const operations: Feature = {
  name: "operations",
  otherTables: ["backup"],
  endpoints: statusEndpoints,
  pages: [...statusPages, ...adminPages],
  jobs({ database, store, dataDir, options }) {
    const { backupTo, backupEvery, backupAt, backupKeep, backupWithoutObjects, restoreTestEvery } = options;
    if (backupTo === undefined) return [];
    return backupJobs(database, {
      folder: openBackupFolder(backupTo, process.env, "--backup-to"),
      everyHours: backupEvery,
      atMinutes: backupAt,
      keep: backupKeep,
      testEveryDays: restoreTestEvery,
      store: backupWithoutObjects ? null : store,
      dataDir,
    });
  },
};
