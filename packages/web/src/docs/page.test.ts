import { expect, test } from "vitest";
import { HOSTILE, ANONYMOUS } from "@kernelbot/testing/web/examples.ts";
import { contentsOf } from "./contents.ts";
import { renderDocument } from "./document.ts";
import { excerpt } from "./excerpt.ts";
import { documentationIndexPage, documentationPage, documentationSearchPage } from "./page.ts";

const GUIDE = await renderDocument(
  "docs/guides/run-a-server.md",
  "# Run a server\n\n*How-to guide, for operators.*\n\n## Logs\n\nRunners log here.\n\n## Metrics\n\nNumbers.\n",
);
const PAGES = [
  GUIDE,
  await renderDocument(
    "docs/guides/add-a-runner.md",
    "# Add a runner\n\n*How-to guide, for administrators and owners.*",
  ),
  await renderDocument("docs/guides/receive-webhooks.md", "# Webhooks\n\n*How-to guide, for developers.*"),
  await renderDocument("docs/start/operator.md", "# First server\n\n*Tutorial, for operators.*"),
  await renderDocument("docs/debugging.md", "# Debugging"),
];

test("pages are in sections by folder, guides by their first reader, sorted by title", () => {
  expect(contentsOf(PAGES).map(({ title, pages }) => [title, pages.map((page) => page.title)])).toEqual([
    ["Start", ["First server"]],
    ["Guides for operators", ["Add a runner", "Run a server"]],
    ["Guides for developers", ["Webhooks"]],
    ["Contribute", ["Debugging"]],
  ]);
});

test("a page is next to the contents, with its own section open and links to its headings", async () => {
  const visit = { ...ANONYMOUS, path: "/docs/guides/run-a-server" };
  const page = (await documentationPage({ open: GUIDE, pages: PAGES, visit })).replace(/\s+/g, " ");
  expect(page).toContain("<title>Run a server · Documentation · KernelBot</title>");
  expect(page).toContain("<details open> <summary>Guides for operators</summary>");
  expect(page).toContain('<a href="/docs/guides/run-a-server" aria-current="page">Run a server</a>');
  expect(page).toContain('<a href="#logs">Logs</a>');
  expect(page.match(/<details open>/g)).toHaveLength(1);
});

test("the start page lists every page", async () => {
  const page = await documentationIndexPage({ pages: PAGES, visit: { ...ANONYMOUS, path: "/docs" } });
  for (const { path } of PAGES) expect(page).toContain(`<a href="/docs/${path}">`);
});

test("a search lists sections with an excerpt, and shows the query as text", async () => {
  const [, logs] = GUIDE.sections;
  if (logs === undefined) throw new Error("the guide has a second section");
  const visit = { ...ANONYMOUS, path: "/docs?q=x" };
  const hits = [{ page: GUIDE, section: logs }];
  const page = await documentationSearchPage({ query: HOSTILE, hits, words: ["runner"], pages: PAGES, visit });
  expect(page).toContain('<a href="/docs/guides/run-a-server#logs">Logs</a>');
  expect(page).toContain("<mark>Runners</mark> log here.");
  expect(page).toContain("&lt;script&gt;");
  expect(page).not.toContain("<script>");
  const none = await documentationSearchPage({ query: "x", hits: [], words: ["x"], pages: PAGES, visit });
  expect(none).toContain("No section contains “x”.");
});

test("an excerpt is the part of a text around the first word found", async () => {
  const text = `${"before ".repeat(30)}the lease <b> expires ${"after ".repeat(60)}`;
  const shown = String(await excerpt(text, ["leas"]));
  expect(shown).toMatch(/^… before .*the <mark>lease<\/mark> &lt;b&gt; expires after .* …$/);
  expect(shown.length).toBeLessThan(280);
  expect(String(await excerpt("Short text.", ["missing"]))).toBe("Short text.");
});
