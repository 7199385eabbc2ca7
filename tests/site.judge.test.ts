/**
 * The whole workflow in a browser: a participant signs in, submits, watches, sees the rank and compares; a moderator
 * decides. Server process, runner and judge are real.
 */
import { resolve } from "node:path";
import { createClient, type Client } from "@kernelbot/api";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium, openPage } from "@kernelbot/testing/chromium.ts";
import { startServer, type RunningServer } from "../scripts/processes.ts";

const KERNEL = "def custom_kernel(data):\n    x, out = data\n    return out.copy_(x + x)\n";

/** Timeout for judging: on a busy machine, a run is timed three times, with pauses of 2 minutes. */
const PATIENCE = { timeout: 900_000 };

let server: RunningServer;
let operator: Client;
let browser: Browser;

beforeAll(async () => {
  server = await startServer({ problems: resolve(import.meta.dirname, "problems"), localRunner: "cpu" });
  operator = createClient({ server: server.url, token: server.token });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

/** Signs an account in by a link from the operator, as on servers without a sign-in provider. */
async function signedIn(name: string): Promise<{ page: Page; complaints: string[] }> {
  const link = await operator.signInLink({ name, create: true });
  const opened = await openPage(browser, 1280);
  await opened.page.goto(link.url);
  await opened.page.getByRole("button", { name: `Sign in as ${name}` }).click();
  await opened.page.getByRole("heading", { level: 1 }).waitFor();
  return opened;
}

/**
 * Writes a kernel into the editor and submits it. Returns the number of the new submission, greater than `before`, once
 * the page shows that it passed.
 */
async function ranked(page: Page, source: string, before = 0): Promise<number> {
  await page.goto(`${server.url}/problems/double/submit`);
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText(source);
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  const link = page.locator("#watch a[href^='/submissions/']").first();
  await expect
    .poll(async () => Number((await link.textContent())?.match(/\d+/)?.[0]), PATIENCE)
    .toBeGreaterThan(before);
  await page.locator("#watch .run-status").getByText("Passed", { exact: true }).first().waitFor(PATIENCE);
  return Number((await link.textContent())?.match(/\d+/)?.[0]);
}

test(
  "a person signs in, submits, watches, sees the rank, compares; a moderator decides",
  { timeout: 2_000_000 },
  async () => {
    const { page, complaints } = await signedIn("ann");
    const first = await ranked(page, KERNEL);
    const second = await ranked(page, `# again\n${KERNEL}`, first);

    await page.goto(`${server.url}/boards/double/cpu`);
    const row = page.getByRole("row", { name: /ann/ });
    expect(await row.textContent()).toMatch(/^\s*1\s*ann/);

    await page.goto(`${server.url}/compare/${first}/${second}`);
    expect(await page.locator("main").textContent()).toMatch(/as fast as/);

    // Which of the two is faster is random.
    const best = (await operator.board("double", "cpu")).rows[0]?.submissionId ?? 0;
    const [run] = (await operator.submission(best)).runs;
    await operator.moderation.flag(run?.id ?? 0, "it looks too fast");
    const moderator = await signedIn("mia");
    await operator.changeRoles("mia", { add: ["moderator"], remove: [] });
    await moderator.page.goto(`${server.url}/moderation`);
    await moderator.page.getByRole("link", { name: `Run ${run?.id}` }).click();
    await moderator.page.getByText("it looks too fast").first().waitFor();
    await moderator.page.locator("#reason").fill("it is not, but rules are rules");
    await moderator.page.getByRole("button", { name: "Reject", exact: true }).click();
    await moderator.page.getByText(`Run ${run?.id} is decided`).waitFor();

    await page.goto(`${server.url}/submissions/${best}`);
    await page.getByText("rules are rules").first().waitFor();
    await page.goto(`${server.url}/boards/double/cpu`);
    // The participant's other submission now ranks.
    expect(await row.innerHTML()).toContain(`/submissions/${best === first ? second : first}`);
    expect([...complaints, ...moderator.complaints]).toEqual([]);
  },
);
