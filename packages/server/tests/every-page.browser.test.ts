/**
 * Checks that apply to every page, with a full set of data, in a real browser. All pages are listed in
 * `testing/showcase/pages.ts`; a page that is missing there fails the last test.
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { brokenWords, launchChromium, settled, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import type { Visitor } from "@kernelbot/testing/showcase/example.ts";
import { openShowcase, type OpenShowcase } from "@kernelbot/testing/showcase/open.ts";
import { cookiesOf, PAGES, type PageExample } from "@kernelbot/testing/showcase/pages.ts";
import { visitsOf, type Visit } from "@kernelbot/testing/showcase/visits.ts";
import { sample } from "@kernelbot/testing/sample.ts";
import { TEMPLATE } from "@kernelbot/testing/template.ts";
import { OPTIONAL_FEATURES } from "@kernelbot/features/index.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let open: OpenShowcase;
let browser: Browser;
let visit: Visit;
/** URLs that pages link to, with the visitor and the linking page. */
const links = new Map<string, { visitor: Visitor; from: string }>();

beforeAll(async () => {
  const store = mkdtempSync(join(inject("scratch"), "artifacts-"));
  [open, browser] = await Promise.all([openShowcase(() => emptyDatabase(TEMPLATE), store), launchChromium()]);
  visit = visitsOf(open, browser);
});
afterAll(async () => {
  await browser.close();
  await open[Symbol.asyncDispose]();
});

/** Returns the serious and critical violations that axe finds, one line each. */
async function violationsOf(page: Page, options: RunOptions = {}): Promise<string[]> {
  const { violations } = await page.evaluate(
    (runOptions) => (globalThis as unknown as { axe: { run(o: RunOptions): Promise<AxeResults> } }).axe.run(runOptions),
    { resultTypes: ["violations" as const], rules: { "target-size": { enabled: true } }, ...options },
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

/** Returns inline styles, scripts and event handlers, which the Content-Security-Policy forbids. */
function inlined(html: string): string[] {
  const found = [
    ...html.matchAll(/<style\b/g),
    ...html.matchAll(/<[^>]+\s(?:style|on\w+)=/g),
    ...html.matchAll(/<script(?![^>]*\s(?:src=|type="application\/json"))[^>]*>/g),
  ];
  return found.map(([text]) => text);
}

/**
 * Returns the heading and the table sizes of the rendered page and of the HTML as sent, which is what browsers without
 * scripts show.
 */
function outlines(page: Page, html: string): Promise<{ head: string; rows: number[] }[]> {
  return page.evaluate(
    (sent) =>
      [document, new DOMParser().parseFromString(sent, "text/html")].map((shown) => ({
        head: shown.querySelector("h1")?.textContent.trim() ?? "",
        rows: Array.from(shown.querySelectorAll("main table"), (table) => table.querySelectorAll("tr").length),
      })),
    html,
  );
}

async function noteLinks(page: Page, { visitor, name }: PageExample): Promise<void> {
  const hrefs = await page.evaluate(() => Array.from(document.links, (link) => link.href.replace(/#.*/, "")));
  for (const href of hrefs) {
    const isNew = href.startsWith(`${open.urls.full}/`) && href !== page.url() && !links.has(href);
    if (isNew) links.set(href, { visitor, from: name });
  }
}

test.each(sample(PAGES, { share: 0.3 }))(
  "the page $name is complete and accessible on wide and narrow screens, in light and dark themes",
  async (example) => {
    using visited = await visit(example, example.width ?? 320);
    const { page, status, html, complaints, foreign } = visited;
    expect(status).toBe(example.status ?? 200);
    expect.soft(await page.title()).toMatch(example.title);
    expect.soft(await page.locator("h1").count()).toBe(1);
    const [shown, sent] = await outlines(page, html);
    expect.soft(sent).toEqual(shown);
    expect.soft(inlined(html)).toEqual([]);
    expect.soft(await widerThanScreen(page)).toBeLessThanOrEqual(0);
    expect.soft(await brokenWords(page)).toEqual([]);
    await page.setViewportSize({ width: example.width ?? 1280, height: 900 });
    await settled(page);
    expect.soft(await widerThanScreen(page)).toBeLessThanOrEqual(0);
    // Evaluated by the test, because the page's Content-Security-Policy would block the script.
    await page.evaluate(AXE);
    expect.soft(await violationsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect.soft(await violationsOf(page, { runOnly: ["color-contrast"] })).toEqual([]);
    await noteLinks(page, example);
    expect.soft(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

test("no link is broken", async () => {
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

/** GET routes that do not return a page. */
const NO_PAGES = [
  "/account/export",
  "/feed.atom",
  "/competitions/:name/feed.atom",
  "/boards/:board/:target/feed.atom",
  "/healthz",
  "/readyz",
  "/assets/:name",
  "/pictures/:name{[A-Za-z0-9_-]+\\.png}",
  "/downloads/:name",
  "/install.sh",
  "/install-runner.sh",
  "/updates",
  "/queue/updates",
  "/boards/:board/:target/updates",
  "/kernelbench/updates",
  "/kernelbench/entries/:id{[0-9]+}/updates",
  "/submissions/:id{[0-9]+}/updates",
  "/submissions/:id{[0-9]+}/compare",
  "/compare",
  "/data/:id{[0-9]+}/:competition/:table",
  "/problems/:name/starters/:file",
  "/admin/competitions/:name/invites.txt",
  "/admin/competitions/:name/course/grades.csv",
  "/admin/audit/export",
  "/sign-in/:provider{discord|github|google|oidc}/callback",
  "/lti/jwks",
  "/lti/login",
  // Only for platforms that the server can reach: see platform-pages.integration.test.ts.
  "/lti/register",
];

/** Routes of other clients' protocols, which are no pages. */
const PROTOCOL_ROUTES = OPTIONAL_FEATURES.flatMap(({ pages = [] }) => pages);

test("every page has an example", () => {
  const known = new Set([...PAGES.map(({ route }) => route), ...NO_PAGES, ...PROTOCOL_ROUTES.map(({ path }) => path)]);
  const forgotten = open.testServer.app.routes
    .filter(({ method, path }) => method === "GET" && !path.startsWith("/api/") && !known.has(path))
    .map(({ path }) => path);
  expect(forgotten).toEqual([]);
});
