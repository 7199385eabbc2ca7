/** The pages in a real browser over a real server: live updates, no errors, at desktop and phone widths. */
import { Readable } from "node:stream";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CompetitionSpec, isFinished, type CaseFinished, type Claimed, type JudgeEvent } from "@kernelbot/core";
import { putArtifact } from "../src/artifacts/artifacts.ts";
import { createCompetition } from "../src/competitions/change.ts";
import { createInvites } from "../src/competitions/invites.ts";
import type { Identity } from "../src/auth/identity.ts";
import { beginSession } from "../src/auth/sessions.ts";
import { authenticate } from "../src/auth/tokens.ts";
import { claimRun } from "../src/queue/lease.ts";
import { launchChromium, openPage, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { WIDTHS } from "@kernelbot/testing/widths.ts";
import { signedIn } from "@kernelbot/testing/signed-in.ts";
import { MACHINE, passing, person, ranked, report, request, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

let browser: Browser;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());

async function claimed(testServer: TestServer, box: Identity): Promise<Claimed> {
  const run = await claimRun(testServer.database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });
  if (run === null) throw new Error("the queue is empty");
  return run;
}

test.each(WIDTHS)(
  "a submission page follows a run from the queue to its verdict without a reload, %i pixels wide",
  async (width) => {
    await using testServer = await openTestServer({ listening: true });
    const token = await testServer.token("ann");
    const client = testServer.client(token);
    const box = await runner(testServer.database);
    const { id } = await client.submit(request({ mode: "ranked" }));
    const { page, complaints } = await signedIn(browser, testServer, await authenticate(testServer.database, token), {
      width,
    });
    // The page's timers are stopped, so that only the event log causes updates.
    await page.clock.install();
    await page.goto(`${testServer.url}/submissions/${id}`);
    await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
    const status = page.locator(".run-status");
    expect(await status.getAttribute("role")).toBe("status");
    expect(await status.textContent()).toBe("Queued");
    const stage = (name: string) => page.getByRole("listitem").filter({ hasText: name });
    await stage("queue").getByText("next …").waitFor();

    const { runId, attempt } = await claimed(testServer, box);
    await status.getByText("Running").waitFor();
    const events = passing("ranked");
    const tested = events.findIndex((event) => event.type === "stage_started" && event.stage === "ranked") + 1;
    await report(testServer.database, box, runId, { attempt, from: 0, events: events.slice(0, tested) });
    await stage("ranked")
      .getByText(/^running/)
      .waitFor();
    await status.getByText("Running: ranked").waitFor();
    await page.getByText("test: 2 of 2 cases passed").waitFor();
    await report(testServer.database, box, runId, { attempt, from: tested, events: events.slice(tested) });
    await status.getByText("Passed").waitFor();
    await page.getByText(/10\.00× speedup\s+100\.0 ns/).waitFor();
    await page.waitForFunction(() => document.title.startsWith("Passed"));

    expect(isFinished(await client.submission(id))).toBe(true);
    expect(await page.evaluate(() => "sameDocument" in globalThis)).toBe(true);
    await page.getByText("Sample statistics of ranked").click();
    await page.getByText("Standard deviation").first().waitFor();
    expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
  },
);

test.each(WIDTHS)(
  "a submission page lists the files of a profile once they are uploaded, for its owner only, %i pixels wide",
  async (width) => {
    await using testServer = await openTestServer({ listening: true });
    const olga = await person(testServer.database, "olga", ["admin"], ["organiser"]);
    await createCompetition(
      testServer.database,
      olga,
      CompetitionSpec.parse({
        name: "spring",
        title: "Spring kernels",
        visibility: "public",
        startsAt: "2020-01-01T00:00:00Z",
        endsAt: "2100-01-01T00:00:00Z",
        problems: ["double"],
      }),
    );
    const token = await testServer.token("ann");
    const { id } = await testServer.client(token).submit(request({ mode: "profile" }));
    const box = await runner(testServer.database);
    const { runId, attempt } = await claimed(testServer, box);
    const { page, complaints } = await signedIn(browser, testServer, await authenticate(testServer.database, token), {
      width,
    });
    const { page: organisers } = await signedIn(browser, testServer, olga, { width });
    await Promise.all([page, organisers].map((each) => each.goto(`${testServer.url}/submissions/${id}`)));
    const upload = { runId, attempt, name: "profile.0.trace.json.gz", mediaType: "application/gzip" } as const;
    const artifact = await putArtifact(testServer.database, testServer.store, box, {
      ...upload,
      bytes: Readable.from(["trace"]),
    });
    const events: JudgeEvent[] = [{ ...artifact, type: "artifact", stage: "profile" }, ...passing("profile")];
    await report(testServer.database, box, runId, { attempt, from: 0, events });
    await page.getByRole("link", { name: upload.name }).waitFor();
    await organisers.getByText("profile: 2 of 2 cases passed").waitFor();
    expect(await organisers.getByText(upload.name).count()).toBe(0);
    expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
  },
);

test.each(WIDTHS)("every page escapes user text and fits the screen, %i pixels wide", async (width) => {
  await using testServer = await openTestServer({ listening: true });
  const box = await runner(testServer.database);
  const mallory = await person(testServer.database, HOSTILE);
  const organiser = await person(testServer.database, "olga", ["admin"]);
  await createCompetition(
    testServer.database,
    organiser,
    CompetitionSpec.parse({
      name: "spring",
      title: HOSTILE,
      description: `${HOSTILE} ${"x".repeat(300)}`,
      visibility: "public",
      startsAt: "2020-01-01T00:00:00Z",
      endsAt: "2100-01-01T00:00:00Z",
      codeVisibility: "always",
      licence: null,
      teamSize: 1,
      problems: ["double"],
    }),
  );
  const id = await ranked(testServer.database, mallory, box, 100, {
    fileName: "<script>alert(1)<script>.py",
    source: `"""${HOSTILE} ${"y".repeat(300)}"""\n`,
    author: "autonomous",
    model: `${HOSTILE}${"M".repeat(20)}`,
  });
  const token = await testServer.token("ann");
  const failed = await testServer.client(token).submit(request());
  const { runId, attempt } = await claimed(testServer, box);
  const wrong: CaseFinished = {
    type: "case_finished",
    stage: "test",
    index: 0,
    bytes: null,
    operations: null,
    outputBytes: null,
    rounds: [],
    summary: null,
    stopped: null,
    case: { name: HOSTILE },
    status: "failed",
    message: HOSTILE.repeat(20),
    mismatch: {
      differing: 1,
      total: 2,
      largestAbsolute: 1,
      largestRelative: 1,
      first: [{ index: [0], got: HOSTILE, expected: "0" }],
    },
  };
  const verdict = {
    type: "verdict",
    verdict: "failed",
    failureClass: "wrong_result",
    message: HOSTILE,
    detail: HOSTILE,
  } as const;
  const events: JudgeEvent[] = [{ type: "stage_started", stage: "test", cases: 1 }, wrong, verdict];
  await report(testServer.database, box, runId, { attempt, from: 0, events });

  // The owner of a failed submission sees all of it; its page does not exist for others.
  const { page, complaints } = await signedIn(browser, testServer, await authenticate(testServer.database, token), {
    width,
  });
  for (const path of [
    "/",
    "/boards/double/cpu",
    "/boards/triple/cpu",
    `/submissions/${id}`,
    `/submissions/${id}/source`,
    `/submissions/${failed.id}`,
    "/competitions/spring",
    `/join/${"0".repeat(32)}`,
  ]) {
    const answer = await page.goto(testServer.url + path);
    expect(answer?.status()).toBe(200);
    expect(await page.locator("img, script:not([src], [type='application/json'])").count()).toBe(0);
    expect(await page.title()).not.toBe("owned");
    expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
  }
  await page.goto(`${testServer.url}/boards/double/cpu`);
  expect(await page.getByRole("row").nth(1).textContent()).toContain(HOSTILE);
  expect(complaints).toEqual([]);
  expect((await page.goto(`${testServer.url}/submissions/999999`))?.status()).toBe(404);
  await page.getByText("submission 999999 not found").waitFor();
});

test("the page of an invite link asks for confirmation, and shows why joining failed", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { page } = await openPage(browser, 360);
  const join = (code: string) => page.goto(`${testServer.url}/join/${code}`);
  await join("0".repeat(32));
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const { account } = await person(testServer.database, "ann");
  const value = await testServer.database.db
    .transaction()
    .execute((transaction) => beginSession(transaction, account.id, { address: "::1", userAgent: "Chromium" }));
  await page.context().addCookies([{ name: "kernelbot_session", value, url: testServer.url, httpOnly: true }]);
  await join("0".repeat(32));
  const button = page.getByRole("button", { name: "Join with this invite code" });
  await button.click();
  expect(await page.getByRole("alert").textContent()).toMatch(/this invite code does not exist/);
  const olga = await person(testServer.database, "olga", ["admin"]);
  await createCompetition(
    testServer.database,
    olga,
    CompetitionSpec.parse({
      name: "spring",
      title: "Spring kernels",
      description: "",
      visibility: "closed",
      startsAt: "2020-01-01T00:00:00Z",
      endsAt: "2100-01-01T00:00:00Z",
      codeVisibility: "after_end",
      licence: null,
      teamSize: 1,
      problems: ["double"],
    }),
  );
  const { codes } = await createInvites(testServer.database, olga, { competitions: ["spring"], count: 1 });
  await join(codes[0] ?? "");
  await button.click();
  await page.getByRole("heading", { name: "Spring kernels" }).waitFor();
  await page.getByRole("link", { name: "cpu" }).waitFor();
  await page.context().clearCookies();
  expect((await page.reload())?.status()).toBe(404);
});

test("without script a submission page is complete as loaded", async () => {
  await using testServer = await openTestServer({ listening: true });
  const id = await ranked(
    testServer.database,
    await person(testServer.database, "ann"),
    await runner(testServer.database),
    100,
  );
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${testServer.url}/submissions/${id}`);
  expect(await page.getByRole("status").first().textContent()).toBe("Passed");
  await page.getByText("ranked: 2 of 2 cases passed").waitFor();
});

test.each(WIDTHS)(
  "a comparison is shown to viewers who may read both sources, and fits the screen, %i pixels wide",
  async (width) => {
    await using testServer = await openTestServer({ listening: true });
    const token = await testServer.token("ann");
    const [ann, box] = [await authenticate(testServer.database, token), await runner(testServer.database)];
    const a = await ranked(testServer.database, ann, box, 100, { source: `x = "${HOSTILE.repeat(10)}"\n` });
    const b = await ranked(testServer.database, ann, box, 300, { source: `x = 1\n` });
    const { page, complaints } = await openPage(browser, width);
    const path = `${testServer.url}/compare/${a}/${b}?target=cpu`;
    expect((await page.goto(path))?.status()).toBe(401);
    complaints.length = 0; // Browsers log the rejected request.
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
    expect((await page.goto(path))?.status()).toBe(200);
    await page.getByText("A (kernel.py) is 3.000× as fast as B (kernel.py)").waitFor();
    expect(await page.locator(".diff .added").textContent()).toContain("x = 1");
    expect(await page.locator(".diff .removed").textContent()).toContain(HOSTILE);
    expect(await page.locator(".ratios svg").count()).toBe(2);
    expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
  },
);

test("the open home page shows a new leader, and keeps times in the reader's time zone", async () => {
  await using testServer = await openTestServer({ listening: true });
  const olga = await person(testServer.database, "olga", ["admin"]);
  await createCompetition(
    testServer.database,
    olga,
    CompetitionSpec.parse({
      name: "spring",
      title: "Spring kernels",
      description: "**Fast** ones",
      visibility: "public",
      startsAt: "2020-01-01T00:00:00Z",
      endsAt: "2100-06-01T00:00:00Z",
      codeVisibility: "after_end",
      licence: null,
      teamSize: 1,
      problems: ["double"],
    }),
  );
  const { page, complaints } = await openPage(browser, 1100, { timezoneId: "Europe/Vienna", locale: "en-GB" });
  await page.goto(testServer.url);
  await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
  await ranked(testServer.database, await person(testServer.database, "ann"), await runner(testServer.database), 300);
  await page.getByRole("row", { name: /double on cpu 3\.333× ann 1 entry/ }).waitFor();
  await page.getByText("1 Jun 2100, 02:00 local time").waitFor();
  expect(await page.evaluate(() => "sameDocument" in globalThis)).toBe(true);
  await page.getByRole("link", { name: "ann" }).click();
  await page.getByRole("heading", { name: "ann", level: 1 }).waitFor();
  expect(complaints).toEqual([]);
});
