import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { REFERENCE_PAGES } from "./generate-reference.ts";

test.each([...REFERENCE_PAGES])("%s is what npm run generate:reference writes", async (path, page) => {
  expect(readFileSync(resolve(import.meta.dirname, "..", path), "utf8")).toBe(await page());
});
