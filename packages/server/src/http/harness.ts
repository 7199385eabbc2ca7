/** Test server with its own database and the boards `double` and `triple`. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { testDatabase } from "../testing/database.ts";
import { withProblems } from "../testing/fixtures.ts";
import { houseAround, type House, type HouseOptions } from "./house.ts";

export type { House } from "./house.ts";

export async function openHouse(options: HouseOptions = {}): Promise<House> {
  const database = await testDatabase();
  const problemsFolder = await withProblems(database);
  return houseAround(
    database,
    { problemsFolder, storeFolder: mkdtempSync(join(inject("scratch"), "artifacts-")) },
    options,
  );
}
