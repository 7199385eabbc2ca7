/**
 * Generates the pages of docs/reference, and parts of pages, that follow from definitions in the code.
 *
 *     npm run generate:reference
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { commandsPage, TOPIC_PAGES } from "./reference/commands.ts";
import { apiPage } from "./reference/api.ts";
import { configurationPage } from "./reference/configuration.ts";
import { datasetColumnsPage } from "./reference/dataset-columns.ts";
import { personalDataPage } from "./reference/personal-data.ts";
import { taskYmlPage } from "./reference/task-yml.ts";

/** Contents by path from the root of the repository. */
export const REFERENCE_PAGES = new Map<string, () => string | Promise<string>>([
  ["docs/reference/cli.md", commandsPage],
  ...[...TOPIC_PAGES].map(([name, page]) => [`docs/reference/${name}`, page] as const),
  ["docs/reference/api.md", apiPage],
  ["docs/reference/configuration.md", configurationPage],
  ["docs/reference/dataset-columns.md", datasetColumnsPage],
  ["docs/reference/personal-data.md", personalDataPage],
  ["docs/reference/task-yml.md", taskYmlPage],
]);

if (import.meta.main) {
  for (const [path, page] of REFERENCE_PAGES) writeFileSync(resolve(import.meta.dirname, "..", path), await page());
}
