import { expect, test } from "vitest";
import { loadAssets } from "@kernelbot/web";
import { openPictures } from "./pictures.ts";

const pictures = openPictures(await loadAssets());

test.each([
  ["80 characters", "🚀".repeat(80), "🚀".repeat(80)],
  ["81 characters", "🚀".repeat(81), `${"🚀".repeat(79)}…`],
])("a title of %s ends with an ellipsis if it is cut", (_, title, shown) => {
  const path = pictures.pathOf("/", { title, text: "", trend: [] });
  const [content = ""] = path.slice("/pictures/".length).split(".");
  expect(JSON.parse(Buffer.from(content, "base64url").toString())).toEqual([shown, "", []]);
});

test("the address of the longest content is short enough for proxies and services", () => {
  const trend = Array.from({ length: 100 }, () => [1, 1] as const);
  const path = pictures.pathOf("/", { title: "\u0000".repeat(500), text: "\ud800".repeat(5000), trend });
  expect(path.length).toBeLessThan(4000);
  const [content = ""] = path.slice("/pictures/".length).split(".");
  expect(pictures.draw(content).length).toBeGreaterThan(1000);
});
