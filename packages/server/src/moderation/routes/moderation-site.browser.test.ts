/** Moderation in a real browser: from the queue to the decision, to the next run, and to the board. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBoard } from "../../boards/boards.ts";
import { STRANGER } from "../../auth/visibility.ts";
import { appeal } from "../appeal.ts";
import { rejectRun } from "../decide.ts";
import { flagRun, reportRun } from "../flag.ts";
import { storeFingerprints } from "../similar.ts";
import { readSubmission } from "../../submissions/views.ts";
import { launchChromium, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { WIDTHS } from "@kernelbot/testing/widths.ts";
import { person, ranked, runner } from "@kernelbot/testing/fixtures.ts";
import { signedIn } from "@kernelbot/testing/signed-in.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let browser: Browser;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());

const SOURCE = (name: string) => `def custom_kernel(${name}):\n    return ${name}[0] + ${name}[1] * ${name}[2]\n`;

/**
 * Opens a server on which bob submitted a copy of ann's source, which ann reported, and eve a submission that mia
 * flagged.
 */
async function scene() {
  const testServer = await openTestServer({ listening: true });
  const { database } = testServer;
  const box = await runner(database);
  const [ann, bob, eve] = [
    await person(database, "ann"),
    await person(database, "W".repeat(30)),
    await person(database, "eve"),
  ];
  const mia = await person(database, "mia", ["read", "admin"], ["moderator"]);
  const original = await ranked(database, ann, box, 100, { source: SOURCE("data") });
  const copy = await ranked(database, bob, box, 90, { source: `# ${"mine ".repeat(40)}\n${SOURCE("mine")}` });
  const odd = await ranked(database, eve, box, 80, { source: "import time\ntime.sleep(0)\n" });
  await reportRun(database, ann, await runOf(testServer, copy), "a copy of mine");
  await flagRun(database, mia, await runOf(testServer, odd), "too fast");
  // A server does this in the background.
  await storeFingerprints(database);
  return {
    testServer,
    ann,
    bob,
    eve,
    mia,
    original,
    copy,
    copyRun: await runOf(testServer, copy),
    oddRun: await runOf(testServer, odd),
  };
}

async function runOf({ database }: TestServer, submission: number): Promise<number> {
  return (await readSubmission(database, submission))?.runs[0]?.id ?? 0;
}

async function onBoard({ database }: TestServer): Promise<string[]> {
  return (await readBoard(database, STRANGER, "double", "cpu")).rows.map(({ account }) => account.name);
}

test("a moderator decides by keyboard, from the queue to the evidence, the decision, the next item and the board", async () => {
  const { testServer, mia, copyRun, oddRun } = await scene();
  await using _ = testServer;
  const { page, complaints } = await signedIn(browser, testServer, mia);
  await page.goto(`${testServer.url}/`);
  await page.getByRole("link", { name: "Moderation" }).press("Enter");
  await page.getByText("a copy of mine").waitFor();
  // Keyboard shortcuts work once the script of the page has run.
  await page.waitForLoadState();

  await page.keyboard.press("j");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(`Run ${copyRun}`);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Flags" }).waitFor();
  await page.getByText("1 of 2 in the queue").waitFor();
  await page.waitForLoadState();
  await page.keyboard.press("d");
  await page.keyboard.type("it does not skip anything");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { level: 1, name: `Run ${oddRun}` }).waitFor();
  await page.getByRole("status").getByText(`Run ${copyRun} is decided (failed: rejected).`).waitFor();
  await page.locator("#reason").press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Accept");
  await page.keyboard.press("Enter");
  expect(await page.locator("#reason").evaluate((field: HTMLTextAreaElement) => field.validity.valueMissing)).toBe(
    true,
  );
  await page.locator("#reason").fill("the samples bear it out");
  await page.getByRole("button", { name: "Accept" }).press("Enter");

  await page.getByText("No flagged runs.").waitFor();
  await page.getByText(`Run ${oddRun} is decided (passed).`).waitFor();
  expect(await onBoard(testServer)).toEqual(["eve", "ann"]);
  expect(complaints).toEqual([]);
});

test.each(WIDTHS)("without script the evidence is complete and each action works, %i pixels wide", async (width) => {
  const { testServer, mia, original, copy, copyRun, oddRun } = await scene();
  await using _ = testServer;
  const { page, complaints } = await signedIn(browser, testServer, mia, { width, javaScriptEnabled: false });
  const fits = async () => expect(await page.title().then(() => widerThanScreen(page))).toBeLessThanOrEqual(0);
  const fold = (summary: string) => page.locator("details", { hasText: summary }).last();

  await page.goto(`${testServer.url}/moderation?kind=report`);
  expect(await page.locator("tbody tr").count()).toBe(1);
  await fits();
  await page.getByRole("link", { name: `Run ${copyRun}` }).click();
  await page.getByText("100 %").waitFor();
  expect(await page.getByRole("link", { name: `Compare ${original} with ${copy}` }).getAttribute("href")).toBe(
    `/compare/${original}/${copy}`,
  );
  expect(await page.locator("tr.removed").first().textContent()).toContain("def custom_kernel(data):");
  await page.getByText("Rank 1 of 2 entries.").waitFor();
  await fits();

  await fold("Re-run with fresh seeds").getByText("Re-run with fresh seeds").click();
  await fold("Re-run with fresh seeds").getByRole("button").click();
  await page.getByText("on cpu, re-run 1:").waitFor();
  await fold("Remove the submission").getByText("Remove the submission").click();
  await fold("Remove the submission")
    .getByLabel(/^Reason/)
    .fill("a copy");
  await fold("Remove the submission").getByRole("button").click();
  await page.getByText("submission removed").waitFor();
  await fold("Ban W").getByText("Ban W").click();
  await fold("Ban W")
    .getByLabel(/^Reason/)
    .fill("again and again");
  await fold("Ban W").getByRole("button").click();
  await page.getByText(/^Unban W/).waitFor();
  await page.getByText(`submission ${copy} removed`).first().waitFor({ state: "attached" });
  await fits();

  await page.goto(`${testServer.url}/moderation/runs/${oddRun}`);
  await page.getByLabel("Reason, shown to the owner").first().fill(" ");
  await page.getByRole("button", { name: "Reject" }).click();
  await page.getByRole("alert").filter({ hasText: "give a reason" }).waitFor();
  expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
});

test("an appeal is shown with its decision, and granting it reverses the decision", async () => {
  const { testServer, eve, mia, oddRun } = await scene();
  await using _ = testServer;
  const { database } = testServer;
  const id = await rejectRun(database, mia, oddRun, { reason: "it sleeps" });
  await appeal(database, eve, id, "zero seconds\n<b>are none</b>");
  const max = await person(database, "max", ["read", "admin"], ["moderator"]);
  const { page } = await signedIn(browser, testServer, max);
  await page.goto(`${testServer.url}/moderation?kind=appeal`);
  await page.getByRole("link", { name: `Run ${oddRun} rejected` }).click();
  await page.getByText("<b>are none</b>").waitFor();
  await page.getByLabel(/^Reason/).fill("so they are");
  await page.getByRole("button", { name: "Grant: accept the run" }).click();
  await page.getByText("No open appeals.").waitFor();
  expect(await onBoard(testServer)).toContain("eve");
});

test("a participant can access neither the pages nor the actions", async () => {
  const { testServer, ann, copyRun } = await scene();
  await using _ = testServer;
  const { page } = await signedIn(browser, testServer, ann);
  for (const path of ["/moderation", `/moderation/runs/${copyRun}`, "/moderation/decisions/1"]) {
    expect((await page.goto(testServer.url + path))?.status()).toBe(403);
  }
  expect(await page.getByRole("link", { name: "Moderation" }).count()).toBe(0);
  const press = (origin: string) =>
    page.request.post(`${testServer.url}/moderation/runs/${copyRun}/act`, {
      headers: { origin },
      form: { act: "reject", reason: "I say so" },
    });
  expect((await press(testServer.url)).status()).toBe(403);
  expect((await press("https://elsewhere.example")).status()).toBe(403);
});

test("a browser that is not signed in is redirected to the sign-in page and back", async () => {
  await using testServer = await openTestServer();
  const response = await testServer.ask("/moderation?kind=speed_of_light", undefined, {
    headers: { accept: "text/html" },
  });
  expect(response.status).toBe(303);
  expect(response.headers.get("location")).toBe("/sign-in?next=%2Fmoderation%3Fkind%3Dspeed_of_light");
});
