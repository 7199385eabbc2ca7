/** Profile pages and the queue in a real browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { beginSession } from "../../auth/sessions.ts";
import { launchChromium, openPage, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { WIDTHS } from "@kernelbot/testing/widths.ts";
import { claimWait, MACHINE, person, ranked, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

let browser: Browser;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());

async function cookieOf({ database, url }: TestServer, accountId: string) {
  const value = await database.db
    .transaction()
    .execute((transaction) => beginSession(transaction, accountId, { address: "::1", userAgent: "Chromium" }));
  return { name: "kernelbot_session", value, url, httpOnly: true };
}

test.each(WIDTHS)("a profile escapes user text and fits the screen, %i pixels wide", async (width) => {
  await using testServer = await openTestServer({ listening: true });
  const box = await runner(testServer.database);
  const mallory = await person(testServer.database, HOSTILE);
  await ranked(testServer.database, mallory, box, 100, { fileName: `${"x".repeat(80)}.py` });
  const { page, complaints } = await openPage(browser, width);
  const path = `${testServer.url}/people/${mallory.account.id}`;
  expect((await page.goto(path))?.status()).toBe(200);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(HOSTILE);
  await page.getByRole("link", { name: "double on cpu" }).first().waitFor();
  await page.getByText("1 submission on 1 day of the last year").waitFor();
  expect(await page.getByText("your account").count()).toBe(0);
  expect(await page.locator("img").count()).toBe(0);
  expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
  await page.context().addCookies([await cookieOf(testServer, mallory.account.id)]);
  await page.reload();
  await page.getByRole("link", { name: "your account" }).waitFor();
  expect(complaints).toEqual([]);
  expect((await page.goto(`${testServer.url}/people/missing`))?.status()).toBe(404);
  await page.getByText('account "missing" not found').waitFor();
});

test.each(WIDTHS)(
  "the queue shows targets to everyone, and accounts and machines only to administrators, %i pixels wide",
  async (width) => {
    await using testServer = await openTestServer({ listening: true });
    const { database } = testServer;
    const root = await person(database, "root", ["read", "admin"]);
    await claimWait(database, await runner(database), { target: "cpu", runner: HOSTILE, machine: MACHINE, waitMs: 0 });
    await submitted(database, await person(database, HOSTILE));
    const { page, complaints } = await openPage(browser, width);
    await page.goto(`${testServer.url}/queue`);
    await page.getByText("Fast CPU, 2 threads").waitFor();
    await page.getByText("1 queued.").waitFor();
    await page.getByRole("heading", { name: "Targets without a runner" }).waitFor();
    await page.getByText("How to add a runner").click();
    await page.getByText(`${testServer.url}/install-runner.sh | sh -s -- --token kb_... --target H100`).waitFor();
    await submitted(database, await person(database, "bob"));
    await page.getByText("2 queued.").waitFor();
    await page.getByText(`${testServer.url}/install-runner.sh | sh -s -- --token kb_... --target H100`).waitFor();
    expect(await page.getByText(HOSTILE).count()).toBe(0);
    expect(await page.getByText(MACHINE.hostname).count()).toBe(0);
    await page.context().addCookies([await cookieOf(testServer, root.account.id)]);
    await page.reload();
    expect(await page.getByText(HOSTILE).count()).toBe(2);
    await page.getByText(MACHINE.hostname).waitFor();
    expect(await page.title()).toMatch("Runners and queue");
    expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
  },
);
