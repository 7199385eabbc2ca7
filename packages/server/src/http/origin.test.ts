import { expect, test } from "vitest";
import { localPath } from "./origin.ts";

test.each([
  "/.//host",
  "/x/..//host",
  "/%2e//host",
  "//host",
  "/\\host",
  "/\t/host",
  "https://host",
  "javascript:alert(1)",
])("%j leads to no other host", (text) => {
  expect(localPath(text)).toBe("/");
});

test("a path here is gone on to, with its query", () => {
  expect(localPath("/boards/double/cpu?edition=1")).toBe("/boards/double/cpu?edition=1");
});
