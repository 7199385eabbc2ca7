import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generateTesterTypes, MESSAGES_FILE } from "./generate-tester-types.ts";

test("messages.py is what the schemas generate: run npm run generate:tester-types after changing them", () => {
  expect(generateTesterTypes()).toBe(readFileSync(MESSAGES_FILE, "utf8"));
});
