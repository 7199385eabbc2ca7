import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { renderDocument } from "../docs/document.ts";
import { ANONYMOUS } from "@kernelbot/testing/web/examples.ts";
import { errorPage } from "./errors.ts";
import { GUIDES, guideTo } from "./guides.ts";

test.each(GUIDES)("the guide to pages %s exists: %s", async (_, guide) => {
  const [path = "", fragment] = guide.split("#");
  const text = await readFile(new URL(`../../../../docs/${path}.md`, import.meta.url), "utf8");
  const { sections } = await renderDocument(`docs/${path}.md`, text);
  if (fragment !== undefined) expect(sections.map(({ id }) => id)).toContain(fragment);
});

test.each([
  ["/boards/vectoradd/cpu?cases=true", "/docs/guides/read-a-board"],
  ["/problems/vectoradd/submit", "/docs/guides/submit-in-the-browser"],
  ["/problems/vectoradd", "/docs/start/participant"],
  ["/submissions/3", "/docs/guides/read-a-board#the-result-of-a-submission"],
  ["/admin/runners/7", "/docs/guides/add-a-runner"],
  ["/docs/guides/add-a-runner", null],
  ["/nowhere", null],
])("the guide to %s is %s", (path, guide) => {
  expect(guideTo(path)).toBe(guide);
});

test("a page links to its guide, and every page to the documentation", async () => {
  const board = await errorPage({
    code: "not_found",
    message: "",
    visit: { ...ANONYMOUS, path: "/boards/vectoradd/cpu" },
  });
  expect(board).toContain('<a href="/docs/guides/read-a-board" class="guide">Guide</a>');
  const other = await errorPage({ code: "not_found", message: "", visit: { ...ANONYMOUS, path: "/nowhere" } });
  expect(other).not.toContain(">Guide</a>");
  expect(other).toContain('<a href="/docs">Documentation</a>');
});
