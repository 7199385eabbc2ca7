/** One page of every type in a real browser: its status and title, and no error in the console. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { launchChromium } from "@kernelbot/testing/chromium.ts";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import { openShowcase, type OpenShowcase } from "@kernelbot/testing/showcase/open.ts";
import { PAGES } from "@kernelbot/testing/showcase/pages.ts";
import { visitsOf, type Visit } from "@kernelbot/testing/showcase/visits.ts";
import { TEMPLATE } from "@kernelbot/testing/template.ts";

let open: OpenShowcase;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  const store = mkdtempSync(join(inject("scratch"), "artifacts-"));
  [open, browser] = await Promise.all([openShowcase(() => emptyDatabase(TEMPLATE), store), launchChromium()]);
  visit = visitsOf(open, browser);
});
afterAll(async () => {
  await browser.close();
  await open[Symbol.asyncDispose]();
});

const ONE_OF_EACH = [
  ...new Map(
    PAGES.toReversed()
      .filter(({ status = 200 }) => status === 200)
      .map((page) => [page.route, page]),
  ).values(),
];

test.each(ONE_OF_EACH)("the page $name opens", async (example) => {
  using visited = await visit(example, 1280);
  expect(visited.status).toBe(200);
  expect(await visited.page.title()).toMatch(example.title);
  expect(visited.complaints).toEqual([]);
});
