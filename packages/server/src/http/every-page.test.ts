/**
 * What holds of every page, with a world of data behind it, in a real browser. The pages stand in one table,
 * `testing/showcase/pages.ts`; a page that is not in it fails the last test.
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launchChromium, settled, widerThanScreen } from "../testing/chromium.ts";
import { emptyDatabase } from "../testing/database.ts";
import { openShowcase, type OpenShowcase, type Visitor } from "../testing/showcase/open.ts";
import { addressOf, cookiesOf, PAGES, type PageExample } from "../testing/showcase/pages.ts";
import { TEMPLATE } from "../testing/template.ts";
import { POPCORN_ROUTES } from "./popcorn/face.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let open: OpenShowcase;
let browser: Browser;
/** One for each visitor, so that what pages share is fetched once. */
const contexts = new Map<string, Promise<BrowserContext>>();
/** The addresses that pages lead to, each with the visitor who is led there and the page that leads. */
const links = new Map<string, { visitor: Visitor; from: string }>();

beforeAll(async () => {
  const store = mkdtempSync(join(inject("scratch"), "artifacts-"));
  [open, browser] = await Promise.all([openShowcase(() => emptyDatabase(TEMPLATE), store), launchChromium()]);
});
afterAll(async () => {
  await browser.close();
  await open[Symbol.asyncDispose]();
});

function contextOf(visitor: Visitor, javaScriptEnabled: boolean): Promise<BrowserContext> {
  const key = `${visitor} ${javaScriptEnabled}`;
  const made =
    contexts.get(key) ??
    browser.newContext({ javaScriptEnabled }).then(async (context) => {
      await context.addCookies(cookiesOf(visitor, open));
      return context;
    });
  contexts.set(key, made);
  return made;
}

interface Visited extends AsyncDisposable {
  page: Page;
  status: number;
  /** As the server sent it. */
  html: string;
  complaints: string[];
  /** Addresses that it asked for elsewhere. */
  foreign: string[];
}

async function visit(example: PageExample, width: number, script = true): Promise<Visited> {
  const { visitor, status = 200, world = "full" } = example;
  const page = await (await contextOf(visitor, script)).newPage();
  await page.setViewportSize({ width, height: 900 });
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on("console", (message) => {
    // A browser notes each answer that is an error, and some pages are.
    const isAnswer = message.text().includes(`status of ${status} `) && status !== 200;
    if (["error", "warning"].includes(message.type()) && !isAnswer) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== open.urls[world])
      foreign.push(request.url());
  });
  const response = await page.goto(addressOf(example, open));
  if (script) await settled(page);
  return {
    page,
    status: response?.status() ?? 0,
    html: (await response?.text()) ?? "",
    complaints,
    foreign,
    [Symbol.asyncDispose]: () => page.close(),
  };
}

/** What axe finds that is serious, in a line each. */
async function found(page: Page, options: RunOptions = {}): Promise<string[]> {
  const { violations } = await page.evaluate(
    (asked) => (globalThis as unknown as { axe: { run(o: RunOptions): Promise<AxeResults> } }).axe.run(asked),
    { resultTypes: ["violations" as const], ...options },
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html)
          .join("  ")}`,
    );
}

/** What is written in a page where only addresses may stand. */
function inlined(html: string): string[] {
  const found = [
    ...html.matchAll(/<style\b/g),
    ...html.matchAll(/<[^>]+\s(?:style|on\w+)=/g),
    ...html.matchAll(/<script(?![^>]*\s(?:src=|type="application\/json"))[^>]*>/g),
  ];
  return found.map(([text]) => text);
}

/** A page's heads and tables, which are there with script or without. */
function outline(page: Page): Promise<{ head: string; rows: number[] }> {
  return page.evaluate(() => ({
    head: document.querySelector("h1")?.textContent.trim() ?? "",
    rows: [...document.querySelectorAll("main table")].map((table) => table.querySelectorAll("tr").length),
  }));
}

describe.each(PAGES)("the page $name", (example) => {
  test("answers, complains of nothing, has one head, and brings nothing of others", async () => {
    await using visited = await visit(example, example.width ?? 1280);
    const { page, status, html, complaints, foreign } = visited;
    expect(status).toBe(example.status ?? 200);
    const title = await page.title();
    if (typeof example.title === "string") expect(title.startsWith(example.title), title).toBe(true);
    else expect(title).toMatch(example.title);
    expect(await page.locator("h1").count()).toBe(1);
    expect(inlined(html)).toEqual([]);
    expect(foreign).toEqual([]);
    expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
    const hrefs = await page.evaluate(() => Array.from(document.links, (link) => link.href));
    for (const href of hrefs.map((each) => each.split("#")[0] ?? "")) {
      if (href.startsWith(`${open.urls.full}/`) && href !== page.url() && !links.has(href)) {
        links.set(href, { visitor: example.visitor, from: example.name });
      }
    }
    expect(complaints).toEqual([]);
  });

  test("has nothing that axe finds serious, light or dark", async () => {
    await using visited = await visit(example, example.width ?? 1280);
    const { page } = visited;
    await page.evaluate(AXE);
    expect(await found(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await found(page, { runOnly: ["color-contrast"] })).toEqual([]);
  });

  test.skipIf(example.width !== undefined)("fits a phone, where it has the same without script", async () => {
    await using visited = await visit(example, 360);
    expect(await widerThanScreen(visited.page)).toBeLessThanOrEqual(0);
    expect(visited.complaints).toEqual([]);
    await using plain = await visit(example, 360, false);
    expect(await outline(plain.page)).toEqual(await outline(visited.page));
  });
});

test("every link leads somewhere", async () => {
  expect(links.size).toBeGreaterThan(50);
  const broken: string[] = [];
  for (const [href, { visitor, from }] of links) {
    const cookie = cookiesOf(visitor, open)
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
    const response = await fetch(href, { headers: { cookie, accept: "text/html" }, redirect: "manual" });
    await response.body?.cancel();
    if (response.status >= 400) broken.push(`${from}: ${href.slice(open.urls.full.length)} answers ${response.status}`);
  }
  expect(broken).toEqual([]);
});

/** What a browser asks for and does not show as a page. */
const NO_PAGES = [
  "/healthz",
  "/assets/:name",
  "/submissions/:id{[0-9]+}/updates",
  "/problems/:name/starters/:file",
  "/sign-in/:provider{discord|github|google}/callback",
];

test("every page is in the table", () => {
  const known = new Set([...PAGES.map(({ route }) => route), ...NO_PAGES, ...POPCORN_ROUTES.map(([, path]) => path)]);
  const forgotten = open.house.app.routes
    .filter(({ method, path }) => method === "GET" && !path.startsWith("/api/") && !known.has(path))
    .map(({ path }) => path);
  expect(forgotten).toEqual([]);
});
