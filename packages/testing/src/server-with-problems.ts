/** Test server with its own database and the boards `double` and `triple`. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { testDatabase } from "./database.ts";
import { EXAMPLE_PROBLEMS } from "./example-problems.ts";
import { problemTree } from "./fixtures.ts";
import { openServerWith, type TestServer, type TestServerOptions } from "./server.ts";
import { TEMPLATE_WITH_PROBLEMS } from "./template.ts";

export type { TestServer } from "./server.ts";

export async function openTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = await testDatabase(TEMPLATE_WITH_PROBLEMS);
  return openServerWith(
    database,
    {
      problemsFolder: problemTree(EXAMPLE_PROBLEMS),
      storeFolder: mkdtempSync(join(inject("scratch"), "artifacts-")),
    },
    options,
  );
}
