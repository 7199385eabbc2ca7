import { afterAll, beforeAll, expect, test } from "vitest";
import { OPTIONAL_FEATURES } from "@kernelbot/features/index.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { getDocumentation } from "./documentation.ts";

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
});
afterAll(() => testServer[Symbol.asyncDispose]());

test("pages of the folder docs are served as HTML, under the policy of all pages", async () => {
  const response = await testServer.ask("/docs/start/participant");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toContain("text/html");
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await response.text()).toContain("<h1>Submit your first kernel</h1>");
});

test("the start page lists the pages, and searches them", async () => {
  expect(await (await testServer.ask("/docs")).text()).toContain('<a href="/docs/guides/run-a-server">');
  const found = await (await testServer.ask("/docs?q=pause+drain+resume")).text();
  expect(found).toContain('<a href="/docs/guides/add-a-runner#pause-drain-resume">');
  expect((await testServer.ask(`/docs?q=${"x".repeat(201)}`)).status).toBe(422);
});

test("pages of features that are switched off do not exist", async () => {
  const without = OPTIONAL_FEATURES.map(({ name }) => name);
  await using server = await openTestServer({ without });
  const text = async (path: string) => (await server.ask(path)).text();
  const lists = [await text("/docs"), await text("/docs/start/participant")];
  for (const { path, title, feature } of (await getDocumentation()).pages.values()) {
    if (feature === null) continue;
    const isShown = !without.includes(feature);
    expect([path, (await server.ask(`/docs/${path}`)).status]).toEqual([path, isShown ? 200 : 404]);
    const found = await text(`/docs?q=${encodeURIComponent(title)}`);
    const isLinked = [...lists, found].map((each) => each.includes(`<a href="/docs/${path}`));
    expect([path, ...isLinked]).toEqual([path, isShown, isShown, isShown]);
  }
});

test("other files of the folder are served with their type, and unknown paths are missing", async () => {
  const schema = await testServer.ask("/docs/reference/kernelbench-results.schema.json");
  expect(schema.headers.get("content-type")).toBe("application/json");
  expect(await schema.json()).toHaveProperty("$schema");
  for (const path of ["/docs/nothing", "/docs/../package.json", "/docs/%2e%2e/package.json", "/docs/start"]) {
    expect((await testServer.ask(path)).status).toBe(404);
  }
});

test("every link within the documentation leads to a page, a heading or a file", async () => {
  const { pages, files } = await getDocumentation();
  expect(pages.size).toBeGreaterThan(50);
  const broken = [...pages.values()].flatMap((page) =>
    Array.from(page.html.matchAll(/(?:href|src)="(\/docs\/[^"#]*)?(?:#([^"]*))?"/g)).flatMap(([, url, fragment]) => {
      const path = url?.slice("/docs/".length) ?? page.path;
      const target = pages.get(path);
      const isFound =
        target === undefined
          ? files.has(path)
          : fragment === undefined || target.sections.some(({ id }) => id === decodeURIComponent(fragment));
      return isFound ? [] : [`${page.path}: ${path}#${fragment}`];
    }),
  );
  expect(broken).toEqual([]);
});

test.each([
  ["start/", "Tutorial, for "],
  ["guides/", "How-to guide, for "],
  ["reference/", "Reference, for "],
  ["explanation/", "Explanation, for "],
])("every page of %s says below its title what it is, and for whom", async (folder, words) => {
  const pages = [...(await getDocumentation()).pages.values()].filter(({ path }) => path.startsWith(folder));
  expect(pages.length).toBeGreaterThan(4);
  for (const { path, summary } of pages)
    expect({ path, summary }).toEqual({ path, summary: expect.stringMatching(words) as string });
});

test("no heading of the documentation contains a link, because headings are links to themselves", async () => {
  const { pages } = await getDocumentation();
  for (const { html } of pages.values()) expect(html).not.toMatch(/<a class="anchor"[^>]*>(?:(?!<\/a>).)*<a /);
});

test("no guide says something twice", async () => {
  const pages = [...(await getDocumentation()).pages.values()].filter(({ path }) => !path.startsWith("reference/"));
  const repeated = pages.flatMap(({ path, html }) => {
    const texts = html.split(/<(?:li|p)>/).map((part) => part.replaceAll(/<[^>]*>/g, "").slice(0, 60));
    const paragraphs = texts.filter((text) => text.length === 60).map((text) => `${path}: ${text}`);
    return paragraphs.filter((paragraph, index) => paragraphs.indexOf(paragraph) !== index);
  });
  expect(repeated).toEqual([]);
});
