/** Webhooks and moderation decisions, as their owner manages them in a real browser without scripts. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyWebhook } from "@kernelbot/core";
import { ban } from "../../moderation/ban.ts";
import { launchChromium, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { WIDTHS } from "@kernelbot/testing/widths.ts";
import { person } from "@kernelbot/testing/fixtures.ts";
import { openReceiver } from "@kernelbot/testing/receiver.ts";
import { signedIn } from "@kernelbot/testing/signed-in.ts";
import { delivered } from "@kernelbot/testing/webhooks.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";

let browser: Browser;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());

test.each(WIDTHS)(
  "a webhook is created, its secret is shown once, and a test event is delivered with a valid signature, %i pixels wide",
  async (width) => {
    await using testServer = await openTestServer({ listening: true, privateWebhooks: true });
    await using receiver = await openReceiver();
    const ann = await person(testServer.database, "ann");
    const { page } = await signedIn(browser, testServer, ann, { width, javaScriptEnabled: false });
    const fits = async () => expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
    await page.goto(`${testServer.url}/account`);
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByLabel("URL").fill(receiver.url);
    await page.getByLabel(/^Leaderboards/).fill("double/cpu");
    await page.getByRole("button", { name: "Create webhook" }).click();
    await page
      .getByRole("alert")
      .getByText(/name it too/)
      .waitFor();
    expect(await page.getByLabel("URL").inputValue()).toBe(receiver.url);
    await page.getByRole("checkbox", { name: /ranks changed/ }).check();
    await page.getByRole("button", { name: "Create webhook" }).click();
    const secret = (await page.getByRole("status").locator("code").textContent()) ?? "";
    await fits();

    await page.getByRole("link", { name: /^webhook/ }).click();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole("button", { name: "Send test event" }).click();
    await page.getByText("pending").waitFor();
    await delivered(testServer.database);
    const tests = receiver.received.filter(({ body }) => body.includes("webhook.test"));
    expect(tests).toHaveLength(1);
    const [{ headers, body } = { headers: {}, body: "" }] = tests;
    expect((await verifyWebhook(secret, new Headers(headers as Record<string, string>), body)).type).toBe(
      "webhook.test",
    );

    receiver.answer((response) => response.writeHead(500).end("<b>not now</b>"));
    await page.reload();
    await page.getByText("HTTP 204").first().waitFor();
    await page.getByRole("button", { name: "Send again" }).first().click();
    await delivered(testServer.database);
    await page.reload();
    await page.getByText("HTTP 500").waitFor();
    await page.getByText("Response body").click();
    await page.getByText("<b>not now</b>").waitFor();
    await fits();

    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("paused by its owner").waitFor();
    await page.getByText("Delete this webhook and its log").click();
    await page.getByRole("button", { name: /^Delete webhook/ }).click();
    await page.getByText("No webhooks yet.").waitFor();
  },
);

test("the webhook of another account is not found", async () => {
  await using testServer = await openTestServer({ listening: true, privateWebhooks: true });
  const [ann, bob] = [await person(testServer.database, "ann"), await person(testServer.database, "bob")];
  const { page: owner } = await signedIn(browser, testServer, ann);
  await owner.goto(`${testServer.url}/account/webhooks`);
  await owner.getByLabel("URL").fill("http://127.0.0.1:9/hook");
  await owner.getByRole("button", { name: "Create webhook" }).click();
  const href = (await owner.getByRole("link", { name: /^webhook/ }).getAttribute("href")) ?? "";
  const { page: other } = await signedIn(browser, testServer, bob);
  expect((await other.goto(testServer.url + href))?.status()).toBe(404);
  const pressed = await other.request.post(`${testServer.url}${href}/delete`, { headers: { origin: testServer.url } });
  expect(pressed.status()).toBe(404);
  expect((await owner.goto(testServer.url + href))?.status()).toBe(200);
});

test("a banned account sees the reason and can appeal once", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { database } = testServer;
  const [ann, root] = [await person(database, "ann"), await person(database, "root", ["read", "admin"])];
  await ban(database, root, { account: "ann", reason: "<i>sold</i> its token" });
  const { page } = await signedIn(browser, testServer, ann, { width: 360, javaScriptEnabled: false });
  await page.goto(`${testServer.url}/account`);
  await page.getByRole("link", { name: "You can appeal" }).click();
  await page.getByText("<i>sold</i> its token").waitFor();
  await page.getByText("Appeal this decision").click();
  await page.getByLabel("Why should this decision be changed?").fill("it was stolen\nin March");
  await page.getByRole("button", { name: "Appeal" }).click();
  await page.getByText("in March").waitFor();
  expect(await page.getByText("Appeal this decision").count()).toBe(0);
  expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
});
