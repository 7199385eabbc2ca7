/** The leaderboard page in a real browser: filters, chart, and live updates. */
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from "vitest";
import type { Identity } from "../../auth/identity.ts";
import { launchChromium, openPage, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { WIDTHS } from "@kernelbot/testing/widths.ts";
import { person, ranked, runner } from "@kernelbot/testing/fixtures.ts";
import { signedIn } from "@kernelbot/testing/signed-in.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let browser: Browser;
let testServer: TestServer;
let box: Identity;
let ann: Identity;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());
beforeEach(async () => {
  testServer = await openTestServer({ listening: true });
  box = await runner(testServer.database);
  ann = await person(testServer.database, "ann");
  await ranked(testServer.database, ann, box, 300, { fileName: "slow.py" });
  await ranked(testServer.database, ann, box, 200, { fileName: "fast.py", author: "human" });
  await ranked(testServer.database, await person(testServer.database, "bob"), box, 250, {
    fileName: "other.py",
    author: "autonomous",
    model: "Model 1",
  });
});
afterEach(() => testServer[Symbol.asyncDispose]());

test("typing a search filters the rows without a reload and updates the URL", async () => {
  const { page, complaints } = await openPage(browser, 1280);
  await page.goto(`${testServer.url}/boards/double/cpu`);
  await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
  const rows = page.locator(".ranking tbody tr");
  expect(await rows.count()).toBe(2);
  await page.getByRole("searchbox").pressSequentially("model 1");
  await page.getByText("1 of 2 entries.").waitFor();
  expect(await rows.count()).toBe(1);
  expect(await rows.first().textContent()).toContain("bob");
  // Typing continues in the same field after the list is updated.
  await page.keyboard.press("Backspace");
  expect(await page.getByRole("searchbox").inputValue()).toBe("model ");
  await page.getByLabel("Author").selectOption("human");
  await page.getByText("No matches among 2 entries.").waitFor();
  expect(await page.evaluate(() => "sameDocument" in globalThis)).toBe(true);
  const address = page.url();
  expect(address).toContain("author=human");
  await page.goto(address);
  await page.getByText("No matches among 2 entries.").waitFor();
  expect(complaints).toEqual([]);
});

test.each(WIDTHS)(
  "the chart shows time and holder of each record on hover and with the arrow keys, %i pixels wide",
  async (width) => {
    const { page, complaints } = await openPage(browser, width);
    await page.goto(`${testServer.url}/boards/double/cpu`);
    const plot = page.getByRole("application", { name: "Best speedup over time" });
    await plot.hover();
    const readout = page.locator("#progress output");
    await readout.getByText(/\d\.\d{3}× · .* UTC/).waitFor();
    await plot.focus();
    await page.mouse.move(0, 0);
    await page.keyboard.press("ArrowRight");
    await readout.getByText(/3\.333× · Record · ann · .* UTC/).waitFor();
    await page.keyboard.press("ArrowRight");
    await readout.getByText(/5\.000× · Record · ann/).waitFor();
    const line = page.getByRole("button", { name: "bob" });
    await line.click();
    expect(await line.getAttribute("aria-pressed")).toBe("false");
    expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
  },
);

test("a new best entry appears in the first row, the figures and the chart of an open page", async () => {
  const { page, complaints } = await openPage(browser, 1280);
  await page.goto(`${testServer.url}/boards/double/cpu`);
  await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
  await page.getByRole("application").waitFor();
  await page.getByRole("checkbox", { name: "Select ann" }).check();
  await ranked(testServer.database, await person(testServer.database, "carol"), box, 100);
  await page.locator(".ranking tbody tr").first().getByText("carol").waitFor();
  await page.getByText("Best speedup, by carol").waitFor();
  await page
    .getByText(/to 10\.00× by carol/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "carol" }).waitFor();
  expect(await page.locator(".ranking tbody tr").nth(1).textContent()).toContain("ann");
  // The selection survives an update.
  expect(await page.getByRole("checkbox", { name: "Select ann" }).isChecked()).toBe(true);
  expect(await page.evaluate(() => "sameDocument" in globalThis)).toBe(true);
  expect(complaints).toEqual([]);
});

/** Adds `many` accounts to the board, slower than the existing ones: `one 1`, `one 2`, ... */
async function crowd(many: number): Promise<void> {
  await testServer.database.sql`
    with accounts as (
      insert into account (id, name) select 'one-' || n, 'one ' || n from generate_series(1, ${many}::integer) n returning *
    ), submitted as (
      insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, idempotency_key, request_hash)
      select accounts.id, problem, problem_version, mode, file_name, code_hash, 'once', request_hash
      from accounts, (select * from submission order by id limit 1) first
      returning *
    )
    insert into run (submission_id, account_id, problem_version, target, mode, state, verdict, tag, finished_at,
      time_ns, time_low_ns, time_high_ns, case_times_ns, speedup, speedup_low, speedup_high,
      ranked_by, ranked_value, ranked_low, ranked_high)
    select id, account_id, problem_version, 'cpu', mode, 'done', 'passed', 0, now(), ns, ns, ns, array[ns, ns],
      1000 / ns, 1000 / ns, 1000 / ns, 'speedup', 1000 / ns, 1000 / ns, 1000 / ns
    from submitted, lateral (select 1e6 + substr(account_id, 5)::float8) timed (ns)`;
}

test("a long board is paginated, and pages update and link to the next page and to the viewer's own row", async () => {
  await crowd(150);
  const dora = await person(testServer.database, "dora");
  const own = await ranked(testServer.database, dora, box, 9e6);
  const { page, complaints } = await signedIn(browser, testServer, dora);
  await page.goto(`${testServer.url}/boards/double/cpu`);
  const rows = page.locator(".ranking tbody tr");
  const first = (name: string) => rows.first().getByRole("link", { name, exact: true }).waitFor();
  await first("ann");
  expect(await rows.count()).toBe(100);

  await page.getByRole("link", { name: "Next" }).click();
  await first("one 99");
  await page.getByText("Rows 101 to 153 of 153").waitFor();
  expect(await rows.count()).toBe(53);
  expect(await isSeen(rows.first())).toBe(true);

  await ranked(testServer.database, await person(testServer.database, "carol"), box, 100);
  await page.getByText("Rows 101 to 154 of 154").waitFor();
  await first("one 98");
  expect(new URL(page.url()).search).toBe("?from=101");

  await page.getByRole("searchbox").fill("one");
  await page.getByText("Rows 1 to 100 of 150").waitFor();
  await first("one 1");
  expect(new URL(page.url()).search).toBe("?search=one");

  await page.getByRole("link", { name: /^rank 154 with/ }).click();
  await page.waitForURL(`**/boards/double/cpu?from=101#s${own}`);
  expect(await isSeen(page.locator("tr.own:target"))).toBe(true);
  expect(complaints).toEqual([]);
});

/** Returns whether a part of the element is in the viewport. */
function isSeen(part: Locator): Promise<boolean> {
  return part.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
}

test("without script the board is complete, filters with its button, and links to a comparison", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${testServer.url}/boards/double/cpu`);
  await page
    .getByText(/From 3\.333× on .* to 5\.000× by ann on .*, 2 records\./)
    .first()
    .waitFor();
  expect(await page.locator("#progress svg[role=img]").count()).toBe(1);
  await page.getByLabel("Select ann").check();
  await page.getByLabel("Select bob").check();
  await page.getByRole("button", { name: "Show in the chart" }).click();
  expect(new URL(page.url()).searchParams.getAll("with")).toHaveLength(2);
  await page.getByRole("searchbox").fill("bob");
  await page.getByRole("button", { name: "Filter" }).click();
  expect(await page.locator(".ranking tbody tr").count()).toBe(1);
  await page.getByRole("link", { name: "Show all" }).click();
  await page.getByLabel("Select ann").check();
  await page.getByLabel("Select bob").check();
  await page.getByRole("button", { name: "Compare two" }).click();
  expect(page.url()).toMatch(/\/compare\/\d+\/\d+\?target=cpu$/);
  await context.close();
});
