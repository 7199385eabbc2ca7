/**
 * Starts one PostgreSQL for a whole test run, with the templates of test databases. TEST_DATABASE_SOCKET names the socket
 * folder of another PostgreSQL (with a superuser `kernelbot`), to test an older version.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { startEmbedded } from "@kernelbot/server/src/db/embedded/embedded.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Folder of the test PostgreSQL's socket. */
    databaseSocket: string;
  }
}

/** A PostgreSQL that several projects of a test run share. */
interface Shared {
  socketDirectory: Promise<string>;
  users: number;
  stop: () => Promise<void>;
}

/** Each project loads this module anew, so the database is kept where all of them find it. */
const holder = globalThis as { kernelbotTestDatabase?: Shared };

export default async function (project: TestProject): Promise<() => Promise<void>> {
  const shared = (holder.kernelbotTestDatabase ??= start());
  shared.users += 1;
  project.provide("databaseSocket", await shared.socketDirectory);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete holder.kernelbotTestDatabase;
    await shared.stop();
  };
}

function start(): Shared {
  const existing = process.env["TEST_DATABASE_SOCKET"];
  const database =
    existing === undefined
      ? ownDatabase()
      : Promise.resolve({ socketDirectory: existing, stop: () => Promise.resolve() });
  return {
    socketDirectory: database.then(async ({ socketDirectory }) => {
      // Loaded once, and not by each project.
      const { createTemplates } = await import("./create-templates.ts");
      await createTemplates(socketDirectory, { temporary: existing === undefined });
      return socketDirectory;
    }),
    users: 0,
    stop: async () => (await database).stop(),
  };
}

async function ownDatabase(): Promise<{ socketDirectory: string; stop: () => Promise<void> }> {
  // A folder that the database's own user may enter, unlike the temporary folder of root.
  const dataDir = mkdtempSync("/var/tmp/kernelbot-test-");
  chmodSync(dataDir, 0o755);
  const embedded = await startEmbedded(dataDir, () => undefined);
  return {
    socketDirectory: embedded.socketDirectory,
    async stop() {
      await embedded.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
