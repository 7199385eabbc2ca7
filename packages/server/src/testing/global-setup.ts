/** One PostgreSQL for a whole run of the tests, with a migrated database to copy. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { openClient } from "../db/client.ts";
import { startEmbedded } from "../db/embedded/embedded.ts";
import { migrate } from "../db/migrate.ts";
import { TEMPLATE } from "./template.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder of the test PostgreSQL's socket. */
    databaseSocket: string;
  }
}

export default async function (project: TestProject): Promise<() => Promise<void>> {
  // Where the database's own user may go, which the temporary folder of root need not be.
  const dataDir = mkdtempSync("/var/tmp/kernelbot-test-");
  chmodSync(dataDir, 0o755);
  const embedded = await startEmbedded(dataDir, () => undefined);
  const { connection, socketDirectory } = embedded;
  const admin = openClient(connection, { max: 1 });
  await admin.unsafe(`create database ${TEMPLATE}`);
  await admin.end();
  const template = openClient({ ...connection, database: TEMPLATE }, { max: 1 });
  await migrate(template);
  await template.end();
  project.provide("databaseSocket", socketDirectory);
  return async () => {
    await embedded.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
