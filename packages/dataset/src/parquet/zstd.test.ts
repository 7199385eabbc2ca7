import { expect, test } from "vitest";
import { zstdObstacle } from "./zstd.ts";

test("a Node.js without Zstandard is named", () => {
  expect(zstdObstacle({})).toMatch(/needs Node.js 22.15 or newer, not v\d+/);
  expect(zstdObstacle()).toBeNull();
});
