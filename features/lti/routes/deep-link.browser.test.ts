/** Adding an activity in a real browser, where policies and cookies decide what a frame of a platform may do. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JSONWebKeySet } from "jose";
import { CompetitionSpec } from "@kernelbot/core";
import { CourseSpec } from "../../courses/rules.ts";
import { launchChromium, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { startFakePlatform } from "../testing/fake-platform.ts";
import { person } from "@kernelbot/testing/fixtures.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";
import { signedIn } from "@kernelbot/testing/signed-in.ts";
import { createCompetition } from "@kernelbot/server/src/competitions/change.ts";
import { setCourse } from "../../courses/courses.ts";
import { setPlatform } from "../platforms.ts";

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());

const TEACHER = { id: "tom", name: "Tom Teacher", role: "Instructor" as const };

async function prepared() {
  const testServer = await openTestServer({ listening: true });
  const platform = await startFakePlatform();
  platform.toolKeys = async () => (await (await fetch(`${testServer.url}/lti/jwks`)).json()) as JSONWebKeySet;
  const { database } = testServer;
  const olga = await person(database, "olga", ["read", "admin"], ["organiser"]);
  const root = await person(database, "root", ["read", "admin"], ["administrator"]);
  await createCompetition(
    database,
    olga,
    CompetitionSpec.parse({
      ...{ name: "gpu", title: "GPU course", participants: "members", problems: ["triple"] },
      ...{ startsAt: "2020-01-01T00:00:00Z", endsAt: "2100-01-01T00:00:00Z" },
    }),
  );
  const assignments = [{ problem: "triple", target: "cpu", dueAt: "2099-01-01T00:00:00Z", correctPoints: 40 }];
  await setCourse(database, olga, CourseSpec.parse({ competition: "gpu", assignments }));
  await setPlatform(database, root, platform.registration);
  // Another site than the server's 127.0.0.1, so that frames are cross-site.
  const site = platform.url.replace("127.0.0.1", "localhost");
  const login = new URLSearchParams(
    platform.addActivity(TEACHER, { deep_link_return_url: `${site}/deep-link-return` }),
  );
  return {
    ...{ testServer, platform, olga, site },
    login: `${testServer.url}/lti/login?${login.toString()}`,
    async [Symbol.asyncDispose]() {
      await testServer[Symbol.asyncDispose]();
      await platform[Symbol.asyncDispose]();
    },
  };
}

test("in the window of the platform, the choice is posted to it by itself", async () => {
  await using open = await prepared();
  const { page, complaints } = await signedIn(browser, open.testServer, open.olga, { width: 360 });
  await page.goto(open.login);
  await page.getByRole("heading", { name: "Add an activity" }).waitFor();
  expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: "Add triple" }).click();
  await page.getByText("Activities added: 1").waitFor();
  expect(new URL(page.url()).origin).toBe(open.site);
  expect(complaints).toEqual([]);
});

test("in a frame of the platform, the choice is made in a new window and returned by the frame", async () => {
  await using open = await prepared();
  const { page, complaints } = await signedIn(browser, open.testServer, open.olga);
  await page.goto(`${open.site}/course?src=${encodeURIComponent(open.login)}`);
  const frame = page.frameLocator("iframe");
  const link = frame.getByRole("link", { name: "Choose the activity in a new window" });
  const [choice] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  await choice.getByRole("button", { name: "Add triple" }).click();
  await choice.getByText("Close this window").waitFor();
  await choice.close();
  await frame.getByRole("link", { name: "continue in Moodle" }).click();
  await frame.getByText("Activities added: 1").waitFor();
  expect(open.platform.added).toMatchObject([{ graded: true }]);
  expect(complaints).toEqual([]);
});
