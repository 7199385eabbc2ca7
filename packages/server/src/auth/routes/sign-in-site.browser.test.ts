/** Signing in with a real browser without scripts, a provider, and every page of an account. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "@kernelbot/api";
import { launchChromium, openPage, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { WIDTHS } from "@kernelbot/testing/widths.ts";
import { startFakeIssuer } from "@kernelbot/testing/fake-issuer.ts";
import { startFakeSmtp } from "@kernelbot/testing/fake-smtp.ts";
import { startFakeProvider } from "@kernelbot/testing/fake-provider.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";
import { openLog } from "../../observe/log.ts";
import { openMailer } from "../email/mailer.ts";
import { readProviders } from "../providers.ts";

let browser: Browser;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());

test.each(WIDTHS)(
  "a user signs in, creates a token, confirms a terminal and signs out, %i pixels wide",
  async (width) => {
    await using provider = await startFakeProvider("github");
    await using other = await startFakeProvider("discord");
    provider.user = { id: 42, login: `Ada${"\u0301".repeat(20)}\u202E ${"W".repeat(60)}` };
    await using testServer = await openTestServer({
      listening: true,
      site: { providers: [provider.provider, other.provider] },
    });
    const { page, complaints } = await openPage(browser, width, { javaScriptEnabled: false });
    const fits = async () => expect(await page.title().then(() => widerThanScreen(page))).toBeLessThanOrEqual(0);

    await page.goto(testServer.url);
    await page.getByRole("link", { name: "Sign in" }).click();
    await fits();
    await page.getByRole("button", { name: "Sign in with GitHub" }).click();
    await page.getByRole("button", { name: "Agree" }).click();
    await page.waitForURL(`${testServer.url}/`);
    await page.goto(`${testServer.url}/account`);
    const name = await page.getByRole("heading", { level: 1 }).textContent();
    expect(name).toMatch(/^Ad\u00e1\u0301{2} W{34}$/);
    await fits();

    await page.getByRole("button", { name: "Link Discord" }).click();
    await page.getByRole("button", { name: "Agree" }).click();
    await page.waitForURL(`${testServer.url}/account`);
    expect(await page.getByRole("button", { name: "Unlink" }).count()).toBe(2);

    await page.getByLabel("Label").fill("x".repeat(100));
    await page.getByRole("button", { name: "Create token" }).click();
    const token = (await page.getByRole("status").locator("code").first().textContent()) ?? "";
    expect(token).toMatch(/^kb_/);
    await fits();

    await page.getByLabel("Name shown on the leaderboards").fill("Countess");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { level: 1, name: "Countess" }).waitFor();
    expect(await page.content()).not.toContain(token);

    const grant = await createClient({ server: testServer.url }).askForDevice(["submit", "read"]);
    await page.goto(grant.verification_uri);
    await fits();
    await page.getByLabel("Code").fill(grant.user_code);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("read your submissions and their code").waitFor();
    await fits();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "The terminal is signed in" }).waitFor();

    await page.goto(`${testServer.url}/account`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    expect((await page.goto(`${testServer.url}/account`))?.url()).toBe(`${testServer.url}/sign-in?next=%2Faccount`);
    expect(complaints).toEqual([]);
  },
);

test.each(WIDTHS)("a user signs in by e-mail in a second browser, without scripts, %i pixels wide", async (width) => {
  await using smtp = await startFakeSmtp();
  const mailer = await openMailer(smtp.options, openLog("silent", { write: () => undefined }));
  await using testServer = await openTestServer({ listening: true, site: { mailer } });
  const { page } = await openPage(browser, width, { javaScriptEnabled: false });
  await page.goto(`${testServer.url}/sign-in?next=/queue`);
  await page.getByLabel("E-mail").fill("Ada@example.org");
  await page.getByRole("button", { name: "Send sign-in link" }).click();
  await page.getByText("A link was sent to ada@example.org").waitFor();
  expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);

  const { page: phone, complaints } = await openPage(browser, width, { javaScriptEnabled: false });
  await phone.goto(smtp.mails[0]?.url ?? "");
  expect(await widerThanScreen(phone)).toBeLessThanOrEqual(0);
  await phone.getByLabel("Choose a name").fill("Ada");
  await phone.getByRole("button", { name: "Create account" }).click();
  await phone.waitForURL(`${testServer.url}/queue`);
  await phone.getByRole("link", { name: "Ada" }).waitFor();
  expect(complaints).toEqual([]);
  mailer.close();
});

test("a user signs in with an issuer that redirects to a further host, without scripts", async () => {
  await using issuer = await startFakeIssuer();
  issuer.loginHost = "localhost";
  await using testServer = await openTestServer({ listening: true, site: { providers: readProviders(issuer.env) } });
  const { page, complaints } = await openPage(browser, 1100, { javaScriptEnabled: false });
  await page.goto(`${testServer.url}/sign-in?next=/queue`);
  await page.getByRole("button", { name: "Sign in with Example University" }).click();
  await page.waitForURL(/^http:\/\/localhost:/);
  await page.getByRole("button", { name: "Agree" }).click();
  await page.waitForURL(`${testServer.url}/queue`);
  await page.getByRole("link", { name: "ada" }).waitFor();
  expect(complaints).toEqual([]);
});

test("a form on another site changes nothing in a signed-in browser", async () => {
  await using provider = await startFakeProvider("github");
  await using testServer = await openTestServer({ listening: true, site: { providers: [provider.provider] } });
  const { page } = await openPage(browser, 1100);
  await page.goto(`${testServer.url}/sign-in?next=/account`);
  await page.getByRole("button", { name: "Sign in with GitHub" }).click();
  await page.getByRole("button", { name: "Agree" }).click();
  await page.waitForURL(`${testServer.url}/account`);
  // The provider's page is another origin on the same host, so that the browser does send the cookie.
  await page.goto(`${provider.url}/authorize`);
  await page.setContent(
    `<form method="post" action="${testServer.url}/account/name"><input name="name" value="owned"></form>`,
  );
  await page.evaluate(() => document.querySelector("form")?.submit());
  await page.getByText("Cross-site request rejected").waitFor();
  await page.goto(`${testServer.url}/account`);
  await page.getByRole("heading", { level: 1, name: "ada" }).waitFor();
});
