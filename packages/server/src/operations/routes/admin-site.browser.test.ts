/** Administration in a real browser: competitions and invites, roles and links, problems, and the audit log. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readCompetition } from "../../competitions/competitions.ts";
import { readLimits } from "../../competitions/limits.ts";
import type { Identity } from "../../auth/identity.ts";
import { beginSession } from "../../auth/sessions.ts";
import { readAudit } from "../../auth/audit.ts";
import { launchChromium, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { syncProblems } from "../../problems/sync.ts";
import {
  claimWait,
  MACHINE,
  person,
  problemFiles,
  problemTree,
  ranked,
  runner,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { signedIn } from "@kernelbot/testing/signed-in.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let browser: Browser;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());

const ADMIN = ["submit", "read", "account", "admin"] as const;

async function fits(page: Page): Promise<void> {
  // The width is final once the page is rendered.
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
}

test("an organiser creates a competition, corrects a rejected form, and invites an account that joins", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { database, url } = testServer;
  const olga = await person(database, "olga", [...ADMIN], ["organiser"]);
  const { page, complaints } = await signedIn(browser, testServer, olga, {
    timezoneId: "Europe/Vienna",
    locale: "en-GB",
  });
  await page.goto(`${url}/admin`);
  await page.getByRole("link", { name: "New competition" }).click();
  await page.getByLabel(/^Name/).fill("spring");
  await page.getByLabel("Title").fill("Spring kernels");
  await page.getByLabel(/^Description/).fill("Two weeks.\nNo prizes.");
  await page.getByLabel("Starts, in UTC").fill("2026-03-01T12:00");
  await page.getByText(/Your local time: Sunday.* 13:00 \(Europe\/Vienna\)/).waitFor();
  await page.getByLabel("Ends, in UTC", { exact: true }).fill("2025-03-01T12:00");
  await page.getByRole("radio", { name: /^closed/ }).check();
  await page.getByLabel("triple", { exact: true }).check();
  await page.getByRole("button", { name: "Create competition" }).click();
  await page.getByRole("alert").getByText("end: a competition ends after it starts").waitFor();

  expect(await page.getByLabel("Title").inputValue()).toBe("Spring kernels");
  expect(await page.getByLabel("triple", { exact: true }).isChecked()).toBe(true);
  await page.getByLabel("Ends, in UTC", { exact: true }).fill("2100-03-01T12:00");
  await page.getByRole("button", { name: "Create competition" }).click();
  await page.getByRole("status").getByText("Competition created.").waitFor();
  expect(await readCompetition(database, olga, "spring")).toMatchObject({
    title: "Spring kernels",
    description: "Two weeks.\nNo prizes.",
    visibility: "closed",
    startsAt: "2026-03-01T12:00:00.000Z",
    endsAt: "2100-03-01T12:00:00.000Z",
    organisers: [olga.account],
    problems: [{ name: "triple" }],
  });

  await page.getByRole("link", { name: "invite codes" }).click();
  await page.getByLabel("Number of codes").fill("2");
  await page.getByRole("button", { name: "Create codes" }).click();
  await page.getByText("Invite codes created").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download the unused codes as a text file" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("spring-invites.txt");
  const [first = ""] = (await page.getByRole("rowheader").allTextContents()).map((code) => code.trim());
  const ann = await signedIn(browser, testServer, await person(database, "ann"));
  await ann.page.goto(`${url}/join/${first}`);
  await ann.page.getByRole("button", { name: "Join with this invite code" }).click();
  await ann.page.getByRole("heading", { level: 1, name: "Spring kernels" }).waitFor();

  await page.goto(`${url}/admin/competitions/spring/invites?state=claimed`);
  await page.getByRole("row").filter({ hasText: "ann" }).getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Invite code revoked.").waitFor();
  expect((await ann.page.reload())?.status()).toBe(404);
  expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
});

test("without script a competition is edited and closed, and unchanged times keep their precision", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { database } = testServer;
  const olga = await person(database, "olga", [...ADMIN], ["organiser"]);
  const client = testServer.client(await testServer.token("reader", ["read", "admin"]));
  await testServer.ask("/api/v1/competitions", await testServer.token("root", ["admin"]), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ name: "spring", title: "Spring", organisers: ["olga"], problems: ["double"] },
      ...{ startsAt: "2026-03-01T12:00:00.250Z", endsAt: "2100-03-01T12:00:00Z" },
    }),
  });
  const { page } = await signedIn(browser, testServer, olga, { width: 360, javaScriptEnabled: false });
  await page.goto(`${testServer.url}/admin/competitions`);
  await fits(page);
  await page.getByRole("link", { name: "Spring", exact: true }).click();
  await fits(page);
  await page.getByLabel("Title").fill("Summer");
  await page.getByLabel(/^Maximum team size/).fill("3");
  await page.getByLabel("double", { exact: true }).uncheck();
  await page.getByLabel("triple", { exact: true }).check();
  const own = page.locator("details").filter({ hasText: "Override targets, end and limits of triple" });
  await own.getByText("Override targets, end and limits").click();
  await own.getByLabel(/^Targets/).fill("H100");
  await own.getByLabel(/^Ends/).fill("2099-03-01T12:00");
  await own.getByLabel(/^Limits/).fill("ranked_per_hour=-1");
  await page.getByLabel(/^Leaderboard freeze/).fill("2099-02-01T12:00");
  await page.getByRole("radio", { name: /^members only/ }).check();
  const hourly = page.getByRole("group", { name: /^Maximum submissions per account and hour/ });
  await hourly.getByLabel("ranked", { exact: true }).fill("10");
  await page.locator("#targets").fill("cpu, H100");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText('limits of triple: "ranked_per_hour=-1" is not a valid limit').waitFor();
  await own.getByLabel(/^Limits/).fill("ranked_per_hour=5, duel_concurrent=1");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Competition saved.").waitFor();
  expect(await own.getByLabel(/^Limits/).inputValue()).toBe("ranked_per_hour=5, duel_concurrent=1");
  const changed = await client.competition("spring");
  expect(changed).toMatchObject({ title: "Summer", teamSize: 3, startsAt: "2026-03-01T12:00:00.250Z" });
  expect(changed).toMatchObject({
    ...{ freezeAt: "2099-02-01T12:00:00.000Z", revealAt: null, participants: "members" },
    ...{ limits: { rankedPerHour: 10 }, targets: ["cpu", "H100"] },
    problems: [
      {
        ...{ name: "triple", targets: ["H100"], endsAt: "2099-03-01T12:00:00.000Z" },
        limits: { rankedPerHour: 5, duelConcurrent: 1 },
      },
    ],
  });
  expect(await readLimits(testServer.database, "triple")).toMatchObject([
    { mode: "ranked", quantity: "per_hour", bound: 5, board: "triple" },
    { mode: "duel", quantity: "concurrent", bound: 1, board: "triple" },
  ]);
  await page.getByText("End it before its end date").click();
  await page.getByRole("button", { name: "Close now" }).click();
  await page.getByText("Competition ended.").waitFor();
  expect(Date.parse((await client.competition("spring")).endsAt)).toBeLessThanOrEqual(Date.now());
});

test("an administrator finds an account, assigns a role and bans it, and the audit log records both", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { database, url } = testServer;
  const [root, bob] = [await person(database, "root", [...ADMIN]), await person(database, "bob")];
  await person(database, "ann");
  const { page, complaints } = await signedIn(browser, testServer, root);
  await page.goto(`${url}/admin/accounts`);
  await page.getByLabel("Name").first().fill("BO");
  await page.getByRole("button", { name: "Search" }).click();
  expect(await page.getByRole("rowheader").count()).toBe(1);
  await page.getByRole("link", { name: "bob" }).click();
  await page.getByRole("checkbox", { name: /^moderator/ }).check();
  await page.getByRole("button", { name: "Save roles" }).click();
  await page.waitForURL(`**/admin/accounts/${bob.account.id}`);
  expect(await page.getByRole("checkbox", { name: /^moderator/ }).isChecked()).toBe(true);

  const moderating = await signedIn(browser, testServer, bob);
  expect((await moderating.page.goto(`${url}/moderation`))?.status()).toBe(200);

  await page.getByText("Restrict the account to reading and appeals").click();
  await page.getByLabel(/^Reason/).fill("it judged itself");
  await page.getByRole("button", { name: "Ban account" }).click();
  await page.getByRole("heading", { name: "Unban" }).waitFor();
  expect((await moderating.page.reload())?.status()).toBe(403);

  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByLabel("Action").selectOption("roles");
  await page.getByRole("button", { name: "Search" }).click();
  expect(await page.getByRole("row").nth(1).textContent()).toMatch(
    /root\s+roles\s+account [^]*add: \["moderator"\]; remove: \[\]/,
  );
  expect(await readAudit(database, root, { limit: 9 })).toHaveLength(2);
  expect(complaints).toEqual([]);
});

test("a new account is created with a sign-in link, and a runner token is shown once", async () => {
  await using testServer = await openTestServer({ listening: true });
  const root = await person(testServer.database, "root", [...ADMIN]);
  const { page } = await signedIn(browser, testServer, root);
  await page.goto(`${testServer.url}/admin/accounts`);
  await page.getByLabel("Name").last().fill("Zoë");
  await page.getByRole("button", { name: "Create account and sign-in link" }).click();
  const link = (await page.getByRole("status").locator("code").textContent()) ?? "";
  const newcomer = await browser.newPage();
  await newcomer.goto(link);
  await newcomer.getByRole("button").first().click();
  await newcomer.getByRole("link", { name: "Zoë" }).waitFor();

  await page.goto(`${testServer.url}/admin/runners`);
  await page.getByLabel("Label, such as the name of the machine").fill("box");
  await page.getByLabel("Targets, separated by spaces").fill("H100 cpu");
  await page.getByRole("button", { name: "Create token" }).click();
  expect(await page.getByRole("status").textContent()).toMatch(
    /install-runner\.sh \| sh -s -- --token kb_\S{43} --target H100\n/,
  );
});

test("an administrator pauses and resumes a runner and revokes its token, and its page shows the reason", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { database, url } = testServer;
  const box = await runner(database);
  await claimWait(database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });
  const { page, complaints } = await signedIn(browser, testServer, await person(database, "root", [...ADMIN]));
  await page.goto(`${url}/admin/runners`);
  await page.getByRole("link", { name: "box", exact: true }).click();
  await page.locator("summary", { hasText: "Pause" }).click();
  await page
    .getByLabel(/^Reason/)
    .first()
    .fill("its fans are loud");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("paused by root: its fans are loud").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("idle", { exact: true }).waitFor();
  await page.getByText("Revoke token").click();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("token revoked").waitFor();
  expect(complaints).toEqual([]);
});

test("submissions are paused and resumed", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { page } = await signedIn(browser, testServer, await person(testServer.database, "root", [...ADMIN]));
  await page.goto(`${testServer.url}/admin`);
  await page.locator("summary", { hasText: "Pause submissions" }).click();
  await page.getByRole("button", { name: "Pause submissions" }).click();
  await page.getByText("Submissions are paused.").waitFor();
  await page.getByRole("button", { name: "Resume submissions" }).click();
  await page.getByText("Submissions are accepted.").waitFor();
});

test("the leaderboards of a problem are retired, reopened and closed", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { database } = testServer;
  const root = await person(database, "root", [...ADMIN]);
  await submitted(database, root);
  const { page } = await signedIn(browser, testServer, root);
  const row = page.getByRole("row").filter({ hasText: "double" });
  const press = async (name: string | RegExp): Promise<void> => {
    await row.getByText("Actions for double").click();
    for (const box of await row.getByRole("checkbox").all()) await box.check();
    await row.getByRole("button", { name }).click();
  };
  await page.goto(`${testServer.url}/admin/problems`);
  await press("Retire leaderboards");
  await row.getByText("retired").first().waitFor();
  await press("Reopen leaderboards");
  await row.getByText("retired").first().waitFor({ state: "detached" });
  await press("Close double");
  await row.getByRole("button", { name: "Close double" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Import changes" }).click();
  await page.getByText("Nothing has changed.").waitFor();
});

test("a problem page lists the changes of a version, and entries are re-run for the new board revision", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { database } = testServer;
  const root = await person(database, "root", [...ADMIN]);
  const id = await ranked(database, root, await runner(database), 100);
  const files = problemFiles((task) => task.replace("size: 16", "size: 32"));
  await syncProblems(database, problemTree({ "set/double": files }));
  const { page } = await signedIn(browser, testServer, root);
  await page.goto(`${testServer.url}/problems/double`);
  await page.getByText("benchmarks: size: 32; seed: 3 added; size: 16; seed: 3 removed").waitFor();
  await page.goto(`${testServer.url}/boards/double/cpu`);
  await page.getByRole("link", { name: "revision 1" }).click();
  await page.getByText("of this leaderboard; revision 2 is current").waitFor();
  await page.getByRole("row").filter({ hasText: "root" }).first().waitFor();
  await page.goto(`${testServer.url}/admin/problems`);
  const row = page.getByRole("row").filter({ hasText: "double" });
  await row.getByText("Actions for double").click();
  await row.getByRole("button", { name: "Re-run revision 1 on cpu" }).click();
  await page.waitForURL(/#problem-double$/);
  const runs = await database.db
    .selectFrom("run")
    .select(["submission_id", "carried_over"])
    .where("state", "=", "queued")
    .execute();
  expect(runs).toEqual([{ submission_id: id, carried_over: true }]);
});

/** Returns the paths of the POST routes below /admin and /moderation, with values for their parameters. */
function buttons({ app }: TestServer): string[] {
  const paths = app.routes
    .filter(({ method, path }) => method === "POST" && /^\/(admin|moderation)\//.test(path))
    .map(({ path }) => path);
  return [...new Set(paths)].map((path) =>
    path.replace(/:(\w+)(\{[^}]*\})?/g, (_, word) => (word === "id" ? "1" : "x")),
  );
}

test("accounts without a role cannot use admin actions, and organisers cannot use those of administrators", async () => {
  await using testServer = await openTestServer();
  const { database } = testServer;
  const [ann, olga] = [await person(database, "ann"), await person(database, "olga", [...ADMIN], ["organiser"])];
  const press = async ({ account }: Identity, path: string): Promise<number> => {
    const secret = await database.db
      .transaction()
      .execute((open) => beginSession(open, account.id, { address: "::1", userAgent: "" }));
    const headers = {
      cookie: `kernelbot_session=${secret}`,
      origin: "http://localhost",
      "content-type": "application/x-www-form-urlencoded",
      accept: "text/html",
    };
    return (await testServer.app.request(path, { method: "POST", headers, body: "reason=x" })).status;
  };
  // The popcorn client's routes require bearer tokens, which browsers do not send.
  const ours = buttons(testServer).filter(
    (path) => !/^\/admin\/(start|stop|leaderboards|update-problems|ban|invites)/.test(path),
  );
  expect(ours.length).toBeGreaterThan(15);
  for (const path of ours) expect(await press(ann, path), path).toBe(403);
  for (const path of ours.filter((path) => /accounts|gate|runner-tokens|moderation|take$/.test(path))) {
    expect(await press(olga, path), path).toBe(403);
  }
});
