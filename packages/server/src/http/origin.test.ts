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
])("%j does not redirect to another host", (text) => {
  expect(localPath(text)).toBe("/");
});

test("redirects to a local path with its query", () => {
  expect(localPath("/boards/double/cpu?revision=1")).toBe("/boards/double/cpu?revision=1");
});
