/** The page of a submission and the list of own submissions, in a real browser over a real server. */
import { Readable } from "node:stream";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JudgeEvent } from "@kernelbot/core";
import { putArtifact } from "../../artifacts/artifacts.ts";
import { hasRole, type Identity } from "../../auth/identity.ts";
import { cancelSubmission } from "../cancel.ts";
import { rejectRun } from "../../moderation/decide.ts";
import { flagRun } from "../../moderation/flag.ts";
import { beginSession } from "../../auth/sessions.ts";
import { launchChromium, openPage, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { WIDTHS } from "@kernelbot/testing/widths.ts";
import { claimed, passing, person, ranked, reported, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let browser: Browser;
let testServer: TestServer;
let box: Identity;
let ann: Identity;
let root: Identity;

beforeAll(async () => {
  browser = await launchChromium();
  testServer = await openTestServer({ listening: true });
  [ann, root, box] = await Promise.all([
    person(testServer.database, "ann"),
    person(testServer.database, "root", ["submit", "read", "admin"]),
    runner(testServer.database),
  ]);
});
afterAll(async () => {
  await browser.close();
  await testServer[Symbol.asyncDispose]();
});

/** Opens a page of a browser in which this account, or no account, is signed in. */
async function pageOf(who: Identity | null, width = 1280): Promise<{ page: Page; complaints: string[] }> {
  const opened = await openPage(browser, width, { javaScriptEnabled: false, acceptDownloads: true });
  if (who !== null) {
    const value = await testServer.database.db
      .transaction()
      .execute((transaction) => beginSession(transaction, who.account.id, { address: "::1", userAgent: "Chromium" }));
    await opened.page.context().addCookies([{ name: "kernelbot_session", value, url: testServer.url, httpOnly: true }]);
  }
  return opened;
}

const at = (id: number, more = "") => `${testServer.url}/submissions/${id}${more}`;

const CRASH: JudgeEvent[] = [
  { type: "stage_started", stage: "prepare", cases: 0 },
  { type: "output", stage: "prepare", head: "printed by ann\n", tail: "", droppedBytes: 0 },
  { type: "stage_finished", stage: "prepare", passed: false, durationNs: 1000 },
  { type: "verdict", verdict: "failed", failureClass: "crash", message: "it crashed", detail: "Traceback of ann" },
];

test.each(WIDTHS)("an owner cancels and removes a queued submission, %i pixels wide", async (width) => {
  const id = await submitted(testServer.database, ann, { board: "triple" });
  const { page, complaints } = await pageOf(ann, width);
  await page.goto(at(id));
  expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(await page.getByRole("status").textContent()).toBe("Cancelled");
  expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
  await page.getByText("Remove …").click();
  expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: `Remove submission ${id}` }).click();
  await page.getByText("Removed by its owner").waitFor();
  expect(complaints).toEqual([]);
  const { page: visitor } = await pageOf(null);
  expect((await visitor.goto(at(id)))?.status()).toBe(404);
});

test("another account's submission has no buttons, and a forged form changes nothing", async () => {
  const bob = await person(testServer.database, "bob");
  const id = await submitted(testServer.database, ann, { board: "triple" });
  const { page } = await pageOf(bob);
  await page.goto(at(id));
  expect(await page.getByRole("button", { name: /Cancel|Remove/ }).count()).toBe(0);
  for (const act of ["cancel", "remove"]) {
    const answer = await page.request.post(at(id, `/${act}`), { headers: { origin: testServer.url } });
    expect(answer.status()).toBe(404);
    const foreign = await page.request.post(at(id, `/${act}`), { headers: { origin: "https://elsewhere.example" } });
    expect(foreign.status()).toBe(403);
  }
  const [run] = await testServer.database.sql`select state from run where submission_id = ${id}`;
  expect(run?.["state"]).toBe("queued");
  await cancelSubmission(testServer.database, ann, id);
});

test("output and traceback of a kernel are shown to its owner and to moderators only", async () => {
  const bob = await person(testServer.database, "bob the other");
  const failed = await submitted(testServer.database, ann, { targets: ["H100"] });
  await reported(testServer.database, box, await claimed(testServer.database, box, "H100"), CRASH);
  // A public entry of one board that crashed on another target.
  const entry = await submitted(testServer.database, ann, {
    board: "triple",
    mode: "ranked",
    targets: ["cpu", "H100"],
  });
  await reported(testServer.database, box, await claimed(testServer.database, box), passing("ranked"));
  await reported(testServer.database, box, await claimed(testServer.database, box, "H100"), CRASH);
  expect(hasRole(root, "moderator")).toBe(true);
  for (const [who, sees] of [
    [ann, true],
    [root, true],
    [bob, false],
    [null, false],
  ] as const) {
    const { page } = await pageOf(who);
    for (const [id, status] of [
      [failed, sees ? 200 : 404],
      [entry, 200],
    ] as const) {
      expect((await page.goto(at(id)))?.status()).toBe(status);
      const text = await page.content();
      if (status === 200) expect(text).toContain("Failed: crash");
      for (const words of ["it crashed", "Traceback of ann", "printed by ann"]) expect(text.includes(words)).toBe(sees);
    }
  }
});

test("only the owner can download the file of a profile", async () => {
  const id = await submitted(testServer.database, ann, { mode: "profile", targets: ["H100"] });
  const { runId, attempt } = await claimed(testServer.database, box, "H100");
  const upload = { runId, attempt, name: "profile.0.txt", mediaType: "text/plain" } as const;
  const artifact = await putArtifact(testServer.database, testServer.store, box, {
    ...upload,
    bytes: Readable.from(["where"]),
  });
  const events: JudgeEvent[] = [{ ...artifact, type: "artifact", stage: "profile" }, ...passing("profile")];
  await reported(testServer.database, box, { runId, attempt }, events);

  const { page } = await pageOf(ann);
  await page.goto(at(id));
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: upload.name }).click();
  const text = await (await download).createReadStream();
  expect(await text.setEncoding("utf8").toArray()).toEqual(["where"]);

  const { page: visitor } = await pageOf(await person(testServer.database, "bob the third"));
  await visitor.goto(at(id));
  expect(await visitor.getByRole("link", { name: upload.name }).count()).toBe(0);
  expect((await visitor.request.get(`${testServer.url}/api/v1/runs/${runId}/artifacts/${upload.name}`)).status()).toBe(
    404,
  );
});

test("a submission page shows its rank and links to a comparison with the previous submission", async () => {
  const before = await ranked(testServer.database, ann, box, 300);
  const id = await ranked(testServer.database, ann, box, 200);
  const { page, complaints } = await pageOf(ann);
  await page.goto(at(before));
  await page.getByText("Not listed on the leaderboard").waitFor();
  await page.goto(at(id));
  await page.getByText(/Rank 1\s+of\s+1\s+on the leaderboard/).waitFor();
  await page.getByText("Compare with …").click();
  await page.getByRole("link", { name: "Your previous submission" }).click();
  await page.getByRole("heading", { name: `Compare submissions ${id} and ${before}` }).waitFor();
  await page.goto(at(before));
  await page.getByText("Compare with …").click();
  await page.getByLabel("Another submission").fill(String(id));
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("heading", { name: `Compare submissions ${before} and ${id}` }).waitFor();
  expect(complaints).toEqual([]);
});

test("the owner of a rejected submission can appeal once, and an empty appeal is rejected", async () => {
  const id = await ranked(testServer.database, ann, box, 50, { board: "triple" });
  const [run] = await testServer.database.sql`select id from run where submission_id = ${id}`;
  const runId = Number(run?.["id"]);
  await flagRun(testServer.database, root, runId, "it looks odd");
  await rejectRun(testServer.database, root, runId, { reason: "it copies" });
  const { page } = await pageOf(ann);
  await page.goto(at(id));
  await page.getByText("Failed: rejected").waitFor();
  const field = page.getByLabel(/^Appeal: why/);
  await field.fill(" ");
  await page.getByRole("button", { name: "Appeal" }).click();
  expect(await page.getByRole("alert").textContent()).toMatch(/explain why the decision should change/);
  await field.fill("It does not.");
  await page.getByRole("button", { name: "Appeal" }).click();
  await page.getByText("No moderator has answered yet").waitFor();
  expect(await field.count()).toBe(0);
  // A rejected run is no longer an entry, so its page exists only for its owner and moderators.
  const { page: visitor } = await pageOf(null);
  expect((await visitor.goto(at(id)))?.status()).toBe(404);
  for (const words of ["it copies", "It does not."]) expect(await visitor.content()).not.toContain(words);
});

test.each(WIDTHS)("the viewer's own submissions are listed, filtered and paginated, %i pixels wide", async (width) => {
  const cara = await person(testServer.database, `cara ${width}`);
  const { page, complaints } = await pageOf(cara, width);
  await page.goto(`${testServer.url}/submissions`);
  await page.getByText("You have no submissions yet.").waitFor();
  const first = await submitted(testServer.database, cara, {
    board: "triple",
    targets: ["cpu", "H100"],
    mode: "benchmark",
  });
  for (let n = 0; n < 26; n += 1) {
    await submitted(testServer.database, cara, { fileName: `${"long_".repeat(20)}${n}.py` });
    // Queued submissions count toward the account's limit.
    await testServer.database.sql`update run set state = 'cancelled', finished_at = now() where state = 'queued'`;
  }
  await page.goto(`${testServer.url}/submissions`);
  expect(await page.locator("tbody").count()).toBe(25);
  expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
  await page.getByRole("link", { name: "Older submissions" }).click();
  expect(await page.locator("tbody").count()).toBe(2);
  await page.goto(`${testServer.url}/submissions`);
  await page.getByLabel("Problem").selectOption("triple");
  await page.getByLabel("Target").selectOption("H100");
  await page.getByLabel("Mode").selectOption("benchmark");
  await page.getByRole("button", { name: "Filter" }).click();
  expect(await page.locator("tbody").count()).toBe(1);
  await page.getByRole("link", { name: `${first} kernel.py` }).waitFor();
  await page.goto(`${testServer.url}/submissions?verdict=passed`);
  await page.getByText("No submissions match this filter.").waitFor();
  expect(complaints).toEqual([]);
  const { page: visitor } = await pageOf(null);
  await visitor.goto(`${testServer.url}/submissions?mode=test`);
  expect(new URL(visitor.url()).pathname).toBe("/sign-in");
});
