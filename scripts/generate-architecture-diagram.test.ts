import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { drawn, PAGE } from "./generate-architecture-diagram.ts";

test("the diagrams of docs/architecture.md show the real imports; npm run generate:architecture draws them anew", async () => {
  const page = readFileSync(PAGE, "utf8");
  expect(await drawn(page)).toBe(page);
});
