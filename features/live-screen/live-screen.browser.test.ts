/** The live screen in a real browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium, openPage } from "@kernelbot/testing/chromium.ts";
import { WIDTHS } from "@kernelbot/testing/widths.ts";
import { person, ranked, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

let browser: Browser;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());

test("the live screen marks and announces changes, and shows when the server is offline", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { database } = testServer;
  const [box, ann] = [await runner(database), await person(database, "ann")];
  const mallory = await person(database, HOSTILE);
  await ranked(database, ann, box, 2000);
  const { page, complaints } = await openPage(browser, 1920);
  await page.clock.install();
  await page.goto(`${testServer.url}/live`);
  await page.getByRole("group", { name: "double" }).getByLabel("cpu").check();
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL(/board=double%2Fcpu/);
  expect(await page.getByRole("navigation").count()).toBe(0);
  await page.getByText("ann is at rank 1 on double cpu, 0.500× speedup").waitFor();
  expect(await page.locator(".changed").count()).toBe(0);

  await ranked(database, mallory, box, 1000);
  await page.getByText(`${HOSTILE} is now rank 1 on double cpu, 1.000× speedup`).waitFor();
  expect(await page.locator("tr.changed").count()).toBe(2);
  await page.getByText("Live", { exact: true }).last().waitFor();
  await page.clock.runFor(21_000);
  await expect.poll(() => page.locator(".changed").count()).toBe(0);
  expect(await page.locator("img").count()).toBe(0);
  expect(complaints).toEqual([]);

  await testServer.stop();
  await page.getByText(/Disconnected; last update \d\d:\d\d UTC/).waitFor();
});

test.each(WIDTHS)(
  "without script the live screen is complete and has a refresh link, %i pixels wide",
  async (width) => {
    await using testServer = await openTestServer({ listening: true });
    await ranked(testServer.database, await person(testServer.database, "ann"), await runner(testServer.database), 100);
    const { page } = await openPage(browser, width, { javaScriptEnabled: false });
    const path = "/live?board=double/cpu&board=triple/cpu";
    await page.goto(testServer.url + path);
    expect(await page.getByRole("link", { name: "Refresh" }).getAttribute("href")).toBe(path);
    await page.getByRole("row", { name: /1 ann 10\.00×/ }).waitFor();
    expect((await page.goto(`${testServer.url}/live?board=nothing/cpu`))?.status()).toBe(404);
    expect((await page.goto(`${testServer.url}/live?board=double`))?.status()).toBe(422);
  },
);
