/** Teams in a real browser without scripts. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CompetitionSpec } from "@kernelbot/core";
import { createCompetition } from "../change.ts";
import type { Identity } from "../../auth/identity.ts";
import { launchChromium, widerThanScreen } from "@kernelbot/testing/chromium.ts";

import { person } from "@kernelbot/testing/fixtures.ts";
import { signedIn } from "@kernelbot/testing/signed-in.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let browser: Browser;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());

const SPRING = {
  ...{ name: "spring", title: "Spring kernels", problems: ["triple"], teamSize: 2 },
  ...{ startsAt: "2020-01-01T00:00:00Z", endsAt: "2100-01-01T00:00:00Z" },
};

async function scene(change: Partial<CompetitionSpec> = {}) {
  const testServer = await openTestServer({ listening: true });
  const olga = await person(testServer.database, "olga", ["submit", "read", "admin"], ["organiser"]);
  await createCompetition(testServer.database, olga, CompetitionSpec.parse({ ...SPRING, ...change }));
  return { testServer, olga };
}

async function teamsOf(testServer: TestServer, who: Identity, width = 1280): Promise<Page> {
  const { page } = await signedIn(browser, testServer, who, { width, javaScriptEnabled: false });
  await page.goto(`${testServer.url}/competitions/spring/teams`);
  return page;
}

test("a participant creates a team, and another joins with its code and leaves again", async () => {
  const { testServer } = await scene();
  await using _ = testServer;
  const [first, second] = [await person(testServer.database, "ann"), await person(testServer.database, "bob")];
  const ann = await teamsOf(testServer, first);
  const name = ann.getByLabel("Team name, shown on the leaderboards");
  await name.fill("bob");
  await ann.getByRole("button", { name: "Create team" }).click();
  await ann.getByRole("alert").getByText('an account already has the name "bob"; choose another name').waitFor();
  expect(await name.inputValue()).toBe("bob");
  await name.fill("Fast ones");
  await ann.getByRole("button", { name: "Create team" }).click();
  await ann.getByText("1 more member can join with this code.").waitFor();
  const code = (await ann.locator("#team-code").textContent()) ?? "";

  const bob = await teamsOf(testServer, second, 360);
  expect(await bob.content()).not.toContain(code);
  await bob.getByLabel("Team code, from a member of the team").fill("0".repeat(32));
  await bob.getByRole("button", { name: "Join team" }).click();
  await bob.getByRole("alert").getByText("this team code does not exist").waitFor();
  await bob.getByLabel("Team code, from a member of the team").fill(code);
  await bob.getByRole("button", { name: "Join team" }).click();
  await bob.getByText("The team is full.").waitFor();
  expect(await widerThanScreen(bob)).toBeLessThanOrEqual(0);
  await bob.getByLabel("Team name").fill("Faster ones");
  await bob.getByRole("button", { name: "Rename" }).click();
  await bob.getByRole("heading", { name: "Faster ones" }).waitFor();
  await bob.getByText("Leave the team").click();
  await bob.getByRole("button", { name: "Leave" }).click();
  await bob.getByText("You left the team.").waitFor();
});

test("only an organiser can remove a member of a team", async () => {
  const { testServer, olga } = await scene();
  await using _ = testServer;
  const { database } = testServer;
  const ann = await teamsOf(testServer, await person(database, "ann"));
  await ann.getByLabel("Team name, shown on the leaderboards").fill("Fast ones");
  await ann.getByRole("button", { name: "Create team" }).click();
  await ann.getByText("You are the only member.").waitFor();
  const bob = await teamsOf(testServer, await person(database, "bob"));
  expect(await bob.getByText("Remove a member").count()).toBe(0);
  const pressed = await bob.request.post(`${testServer.url}/competitions/spring/teams/remove`, {
    headers: { origin: testServer.url },
    form: { account: "ann" },
  });
  expect(pressed.status()).toBe(403);
  const organiser = await teamsOf(testServer, olga);
  await organiser.getByText("Remove a member").click();
  await organiser.getByRole("button", { name: "Remove ann" }).click();
  await organiser.getByText("Member removed.").waitFor();
  await organiser.getByText("No teams yet.").waitFor();
});

test("a visitor is asked to sign in, and returns to the page", async () => {
  const { testServer } = await scene();
  await using _ = testServer;
  const page = await browser.newPage();
  await page.goto(`${testServer.url}/competitions/spring`);
  await page.getByRole("link", { name: "Create, join or leave a team" }).click();
  const link = page.getByRole("link", { name: "Sign in to create or join a team" });
  expect(await link.getAttribute("href")).toBe("/sign-in?next=%2Fcompetitions%2Fspring%2Fteams");
});

test.each([
  ["has no teams", { teamSize: 1 }, "This competition does not have teams"],
  ["has ended", { startsAt: "2020-01-01T00:00:00Z", endsAt: "2021-01-01T00:00:00Z" }, "its teams can no longer change"],
])("where a competition %s, the page shows a notice instead of forms", async (_, change, words) => {
  const { testServer } = await scene(change);
  await using __ = testServer;
  const page = await teamsOf(testServer, await person(testServer.database, "ann"));
  await page.getByText(words).waitFor();
  expect(await page.locator("main").getByRole("button").count()).toBe(0);
});
