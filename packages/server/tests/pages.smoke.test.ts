/** One page of every type in a real browser: its status and title, and no error in the console. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { launchChromium, openPage, settled } from "@kernelbot/testing/chromium.ts";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import { openShowcase, type OpenShowcase } from "@kernelbot/testing/showcase/open.ts";
import { addressOf, cookiesOf, PAGES } from "@kernelbot/testing/showcase/pages.ts";
import { TEMPLATE } from "@kernelbot/testing/template.ts";

let open: OpenShowcase;
let browser: Browser;

beforeAll(async () => {
  const store = mkdtempSync(join(inject("scratch"), "artifacts-"));
  [open, browser] = await Promise.all([openShowcase(() => emptyDatabase(TEMPLATE), store), launchChromium()]);
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
  const { page, complaints } = await openPage(browser, 1280);
  await page.context().addCookies(cookiesOf(example.visitor, open));
  const response = await page.goto(addressOf(example, open));
  await settled(page);
  expect(response?.status()).toBe(200);
  expect(await page.title()).toMatch(example.title);
  expect(complaints).toEqual([]);
  await page.context().close();
});
