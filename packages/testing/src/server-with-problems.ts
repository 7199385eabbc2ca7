/** Test server with its own database and the boards `double` and `triple`. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { testDatabase } from "./database.ts";
import { withProblems } from "./fixtures.ts";
import { openServerWith, type TestServer, type TestServerOptions } from "./server.ts";

export type { TestServer } from "./server.ts";

export async function openTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = await testDatabase();
  const problemsFolder = await withProblems(database);
  return openServerWith(
    database,
    { problemsFolder, storeFolder: mkdtempSync(join(inject("scratch"), "artifacts-")) },
    options,
  );
}
