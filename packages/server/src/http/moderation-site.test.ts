/** Moderation as a person does it: a real browser without script, from the queue to what the submission's page says. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Identity } from "../db/identity.ts";
import { report } from "../moderation/flag.ts";
import { beginSession } from "../people/sessions.ts";
import { launchChromium, openPage, widerThanScreen } from "../testing/chromium.ts";
import { person, ranked, runner } from "../testing/fixtures.ts";
import { openHouse, type House } from "./harness.ts";

let browser: Browser;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());

const SOURCE = (name: string) => `def custom_kernel(${name}):\n    return ${name}[0] + ${name}[1] * ${name}[2]\n`;

/** A page of a browser in which this account is signed in. */
async function pageOf({ database, url }: House, { account }: Identity, width: number) {
  const opened = await openPage(browser, width, {
    javaScriptEnabled: false,
    colorScheme: width < 500 ? "dark" : "light",
  });
  const where = { address: "192.0.2.1", userAgent: "Browser/1" };
  const value = await database.db.transaction().execute((open) => beginSession(open, account.id, where));
  await opened.page.context().addCookies([{ name: "kernelbot_session", value, url }]);
  return opened;
}

/** A house in which bob handed in a copy of ann's, and ann reported it. */
async function scene() {
  const house = await openHouse({ listening: true });
  const { database } = house;
  const box = await runner(database);
  const [ann, bob] = [await person(database, "ann"), await person(database, "W".repeat(30))];
  const original = await ranked(database, ann, box, 100, { source: SOURCE("data") });
  const copy = await ranked(database, bob, box, 90, { source: `# ${"mine ".repeat(40)}\n${SOURCE("mine")}` });
  const client = house.client(await house.token("reader", ["read", "admin"], [], ["moderator"]));
  const runId = (await client.submission(copy)).runs[0]?.id ?? 0;
  await report(database, ann, runId, "a copy of mine");
  return { house, ann, original, copy, runId };
}

test.each([1100, 360])(
  "a moderator comes from the account to the queue, sees the evidence and decides, %i pixels wide",
  async (width) => {
    const { house, original, copy, runId } = await scene();
    await using _ = house;
    const mia = await person(house.database, "mia", ["read", "admin"], ["moderator"]);
    const { page, complaints } = await pageOf(house, mia, width);
    const fits = async () => expect(await page.title().then(() => widerThanScreen(page))).toBeLessThanOrEqual(0);
    const decide = async (button: string, reason: string) => {
      await page.getByLabel("The reason, which its owner reads").fill(reason);
      await page.getByRole("button", { name: button }).click();
    };

    await page.goto(`${house.url}/account`);
    await page.getByRole("link", { name: "What waits for a moderator" }).click();
    await page.getByText("a copy of mine").waitFor();
    await fits();
    await page.getByRole("link", { name: "Inspect and decide" }).click();
    await page.getByText("100 %").waitFor();
    expect(await page.getByRole("columnheader", { name: `From ${original} to ${copy}` }).count()).toBe(1);
    expect(await page.locator("tr.removed").first().textContent()).toContain("def custom_kernel(data):");
    await fits();

    await decide("Take off its board until decided", "a moment, please\nit is looked at");
    await page.getByRole("heading", { level: 1, name: `Submission ${copy}` }).waitFor();
    expect(page.url()).toBe(`${house.url}/submissions/${copy}#run-${runId}`);
    await page.getByText("Quarantined").first().waitFor();

    await page.goto(`${house.url}/moderation/runs/${runId}`);
    await decide("Reject", " ");
    await page.getByRole("alert").filter({ hasText: "give a reason" }).waitFor();
    await decide("Reject", "<b>a copy</b>");
    await page.getByText("rejected by a moderator: <b>a copy</b>").waitFor();
    await fits();

    await page.goto(`${house.url}/moderation`);
    await page.getByText("Nothing speaks against any run.").waitFor();
    await page.goto(`${house.url}/moderation/runs/${runId}`);
    expect(await page.getByRole("button").count()).toBe(0);
    expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
  },
);

test("a participant gets neither the pages nor the buttons", async () => {
  const { house, ann, runId } = await scene();
  await using _ = house;
  const { page } = await pageOf(house, ann, 1100);
  for (const path of ["/moderation", `/moderation/runs/${runId}`]) {
    expect((await page.goto(house.url + path))?.status()).toBe(403);
  }
  const pressed = await page.request.post(`${house.url}/moderation/runs/${runId}/decide`, {
    headers: { origin: house.url },
    form: { act: "reject", reason: "I say so" },
  });
  expect(pressed.status()).toBe(403);
  const foreign = await page.request.post(`${house.url}/moderation/runs/${runId}/decide`, {
    headers: { origin: "https://elsewhere.example" },
    form: { act: "reject", reason: "I say so" },
  });
  expect(foreign.status()).toBe(403);
  await page.goto(`${house.url}/account`);
  expect(await page.getByRole("link", { name: "What waits for a moderator" }).count()).toBe(0);
});
