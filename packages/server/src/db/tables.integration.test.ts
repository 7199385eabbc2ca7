import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generateTables } from "../../../../scripts/generate-tables.ts";
import { testDatabase } from "@kernelbot/testing/database.ts";

test("table types match the schema: if not, run npm run generate:tables", async () => {
  await using database = await testDatabase();
  for (const [path, text] of await generateTables(database))
    expect(text).toBe(readFileSync(join(import.meta.dirname, "../../../..", path), "utf8"));
});

test("a column type that the catalog does not know is an error", async () => {
  await using database = await testDatabase();
  await database.sql`alter table account add column preferences json`;
  await expect(generateTables(database)).rejects.toThrow("the type of the JSON column account.preferences is missing");
});
