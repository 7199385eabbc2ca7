/** The KernelBench pages in a real browser: submitting a file, following its entry, and publishing it. */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Identity } from "../../auth/identity.ts";
import { putBaseline } from "../baselines.ts";
import { launchChromium, openPage, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { failing, person, runner } from "@kernelbot/testing/fixtures.ts";
import { entered, entryRequest, judgeAll, kernel, kernelPassing, withSuite } from "@kernelbot/testing/kernelbench.ts";
import { signedIn } from "@kernelbot/testing/signed-in.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let browser: Browser;
let testServer: TestServer;
let box: Identity;
let ada: Identity;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());
beforeEach(async () => {
  testServer = await openTestServer({ listening: true });
  box = await runner(testServer.database);
  ada = await person(testServer.database, "ada");
  await withSuite(testServer.database, await person(testServer.database, "olga", ["read", "admin"], ["organiser"]));
});
afterEach(() => testServer[Symbol.asyncDispose]());

/** Returns a file as a browser uploads it. */
function file(document: unknown) {
  return { name: "entry.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(document)) };
}

const GOOD = entryRequest({ metadata: { display_name: "Model A" } }).file;
const BAD = {
  metadata: { organization: "Example Labs" },
  kernels: {
    level_1_problem_01_sample_0: kernel(1),
    level_1_problem_9_sample_0: kernel(2),
    level_1_problem_2_sample_0: "print('no class')",
  },
};

test.each([
  [1280, true],
  [360, false],
])(
  "an invalid file shows all of its faults by key, and a valid one becomes an entry; %i pixels wide, script %s",
  async (width, javaScriptEnabled) => {
    const { page, complaints } = await signedIn(browser, testServer, ada, { width, javaScriptEnabled });
    await page.goto(`${testServer.url}/kernelbench/submit`);
    await page.getByLabel("Suite and target").selectOption("tiny H100");
    await page.getByLabel("File", { exact: true }).setInputFiles(file(BAD));
    await page.getByRole("button", { name: "Submit", exact: true }).click();
    await page.getByRole("heading", { name: "File rejected" }).waitFor();
    const faults = await page.locator(".faults tbody th").allTextContents();
    expect(faults.map((where) => where.trim())).toEqual(
      expect.arrayContaining(["metadata.display_name", ...Object.keys(BAD.kernels)]),
    );
    expect(await page.getByLabel("Suite and target").inputValue()).toBe("tiny H100");
    expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);

    await page.getByLabel("File", { exact: true }).setInputFiles(file(GOOD));
    await page.getByRole("button", { name: "Validate only" }).click();
    await page.getByRole("heading", { name: "File is valid" }).waitFor();
    await page.getByLabel("File", { exact: true }).setInputFiles(file(GOOD));
    await page.getByRole("button", { name: "Submit", exact: true }).click();
    await page.getByRole("heading", { name: "Model A H100 draft" }).waitFor();
    await page.getByText("3 kernels: 3 queued.").waitFor();
    // Browsers log the error status of the response to the invalid file.
    expect(complaints.filter((complaint) => !complaint.includes("status of 422"))).toEqual([]);
  },
);

test("an open entry page updates while kernels are judged, filters while typing, and publishes the entry", async () => {
  const { id } = await entered(testServer.database, ada, { metadata: { display_name: "Model A" } });
  const { page, complaints } = await signedIn(browser, testServer, ada);
  await page.goto(`${testServer.url}/kernelbench/entries/${id}`);
  await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
  const { page: list } = await signedIn(browser, testServer, ada);
  await list.goto(`${testServer.url}/kernelbench?suite=tiny&target=cpu`);
  const row = list.locator("#models tbody tr");
  expect(await row.innerText()).toContain("0/3");
  // The kernels of an entry are submitted at the same time, and judged in any order.
  await judgeAll(testServer.database, box, 1, () => kernelPassing(500));
  await judgeAll(testServer.database, box, 1, () => failing("wrong_result", "at [3]: 1.5 is not 2"));
  await page.getByText("3 kernels: 1 queued, 2 judged.").waitFor();
  await page.getByText("2.000×").first().waitFor();
  await judgeAll(testServer.database, box, 1, () => failing("crash", "it fell over"));
  await page.getByText("3 kernels: 3 judged.").waitFor();
  await row.getByText("1/3").first().waitFor();

  await page.getByRole("searchbox").pressSequentially("is not 2");
  await page.getByText("1 of 3 kernels.").waitFor();
  await page.getByRole("searchbox").fill("");
  await page.getByLabel("Status").selectOption("failed");
  await page.getByText("2 of 3 kernels.").waitFor();
  expect(page.url()).toContain("outcome=failed");
  expect(await page.evaluate(() => "sameDocument" in globalThis)).toBe(true);

  await page.getByText("Publish …").click();
  await page.getByRole("button", { name: "Publish Model A" }).click();
  await page.getByText(/published 20/).waitFor();
  expect(complaints).toEqual([]);
});

test("a draft is visible only to its account, and a published entry and its kernels are public", async () => {
  const { id } = await entered(testServer.database, ada, { metadata: { display_name: "Model A" } });
  await judgeAll(testServer.database, box, 3, () => kernelPassing(500));
  const paths = [
    `/kernelbench/entries/${id}`,
    "/kernelbench?suite=tiny",
    "/kernelbench/matrix?suite=tiny",
    "/kernelbench/problems/tiny/1/1",
  ];
  const seen = async () =>
    Promise.all(paths.map(async (path) => (await (await testServer.ask(path)).text()).includes("Model A")));
  expect((await testServer.ask(`/kernelbench/entries/${id}`)).status).toBe(404);
  expect((await testServer.ask(`/kernelbench/entries/${id}/updates`)).status).toBe(404);
  expect(await seen()).toEqual([false, false, false, false]);
  await testServer.database.sql`update kernelbench_entry set published_at = now()`;
  expect(await seen()).toEqual([true, true, true, true]);
  const { page } = await openPage(browser, 360);
  await page.goto(`${testServer.url}/kernelbench/problems/tiny/1/1`);
  await page.getByText("return x + 1").waitFor();
});

test("figures use the requested baseline, and an unknown baseline is not found", async () => {
  const { id } = await entered(testServer.database, ada);
  await judgeAll(testServer.database, box, 3, () => kernelPassing(500, 1000));
  await testServer.database.sql`update kernelbench_entry set published_at = now()`;
  const olaf = await person(testServer.database, "olaf", ["read", "admin"], ["organiser"]);
  const file = { level1: { "1_ReLU.py": { mean: 0.002 }, "2_ReLU.py": { mean: 0.002 } } };
  await putBaseline(testServer.database, olaf, { id: "old", hardware: "Fast CPU, 2 threads", kind: "eager", file });
  for (const path of ["/kernelbench?suite=tiny&target=cpu", `/kernelbench/entries/${id}`]) {
    const by = async (baseline: string) =>
      (await testServer.ask(`${path}${path.includes("?") ? "&" : "?"}${baseline}`)).text();
    expect(await by("")).toMatch(/2\.000×<\/span>\s+<small class="block number">of 3</);
    expect(await by("baseline=stored:old")).toMatch(/4\.000×<\/span>\s+<small class="block number">of 2</);
  }
  await putBaseline(testServer.database, olaf, { id: "h100", hardware: "NVIDIA H100 80GB HBM3", kind: "eager", file });
  const entryPage = await testServer.ask(`/kernelbench/entries/${id}?baseline=stored:h100`);
  expect(entryPage.status).toBe(422);
  expect(await entryPage.text()).toContain("was measured on");
  for (const path of [
    `/kernelbench/entries/${id}`,
    "/kernelbench/problems/tiny/1/1",
    "/kernelbench/matrix",
    "/kernelbench",
  ]) {
    const text = await (await testServer.ask(path)).text();
    expect([path, text.includes("stored%3Aold"), text.includes("stored%3Ah100")]).toEqual([path, true, false]);
  }
  const others = await (await testServer.ask("/kernelbench?suite=tiny&target=cpu&baseline=stored:h100")).text();
  expect(others).toContain("No entries were judged on the hardware of this baseline.");
  expect((await testServer.ask("/kernelbench?suite=tiny&baseline=stored:none")).status).toBe(404);
  expect((await testServer.ask("/kernelbench?suite=none")).status).toBe(404);
});

test("stopping an entry removes its kernels from the queue, and resuming queues them again", async () => {
  const { id } = await entered(testServer.database, ada);
  const { page } = await signedIn(browser, testServer, ada, { javaScriptEnabled: false });
  await page.goto(`${testServer.url}/kernelbench/entries/${id}`);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("3 kernels: 3 waiting. Stopped").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("3 kernels: 3 queued.").waitFor();
});

test("the entry of another account has no buttons, and forged requests change nothing", async () => {
  const { id } = await entered(testServer.database, ada);
  await testServer.database.sql`update kernelbench_entry set published_at = now()`;
  const { page } = await signedIn(browser, testServer, await person(testServer.database, "bob"));
  await page.goto(`${testServer.url}/kernelbench/entries/${id}`);
  expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
  const status = await page.evaluate(
    async (path) => (await fetch(path, { method: "POST" })).status,
    `/kernelbench/entries/${id}/stop`,
  );
  expect(status).toBe(403);
  expect(await (await testServer.ask(`/kernelbench/entries/${id}`)).text()).toContain("3 queued");
});
