/** Adding an activity from a learning platform (LTI Deep Linking). */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { JSONWebKeySet } from "jose";
import { CompetitionSpec } from "@kernelbot/core";
import { CourseSpec } from "../../courses/rules.ts";
import { fakeBrowser, type FakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { startFakePlatform, type FakePlatform } from "../testing/fake-platform.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { beginSession } from "@kernelbot/server/src/auth/sessions.ts";
import { authenticate } from "@kernelbot/server/src/auth/tokens.ts";
import { createCompetition } from "@kernelbot/server/src/competitions/change.ts";
import { setCourse } from "../../courses/courses.ts";
import { readCourseLti } from "../links.ts";
import { setPlatform } from "../platforms.ts";

const TEACHER = { id: "tom", name: "Tom Teacher", role: "Instructor" as const };
const FRAMED = { "sec-fetch-dest": "iframe" };
let platform: FakePlatform;
let testServer: TestServer;
let olga: Identity;
let organiser: FakeBrowser;

beforeAll(async () => {
  platform = await startFakePlatform();
});
afterAll(() => platform[Symbol.asyncDispose]());
beforeEach(async () => {
  Object.assign(platform, { wrong: {}, added: [] });
  platform.columns.clear();
  testServer = await openTestServer();
  const { database } = testServer;
  platform.toolKeys = async () => (await (await testServer.ask("/lti/jwks")).json()) as JSONWebKeySet;
  olga = await authenticate(database, await testServer.token("olga", ["read", "admin"], [], ["organiser"]));
  const root = await authenticate(database, await testServer.token("root", ["read", "admin"]));
  await createCompetition(
    database,
    olga,
    CompetitionSpec.parse({
      ...{ name: "gpu", title: "GPU course", visibility: "closed", participants: "members", problems: ["triple"] },
      ...{ startsAt: "2020-01-01T00:00:00Z", endsAt: "2100-01-01T00:00:00Z" },
    }),
  );
  const assignments = [{ problem: "triple", target: "cpu", dueAt: "2099-01-01T00:00:00Z", correctPoints: 40 }];
  await setCourse(database, olga, CourseSpec.parse({ competition: "gpu", assignments }));
  await setPlatform(database, root, platform.registration);
  organiser = await signedIn(olga);
  return () => testServer[Symbol.asyncDispose]();
});

async function signedIn({ account }: Identity): Promise<FakeBrowser> {
  const browser = fakeBrowser(testServer);
  const at = { address: "192.0.2.1", userAgent: "Browser/1" };
  const session = await testServer.database.db.transaction().execute((open) => beginSession(open, account.id, at));
  browser.cookies.set("kernelbot_session", session);
  return browser;
}

/** Posts the form of a page to the platform, as the browser does. Returns the platform's response. */
async function returned(page: Response): Promise<Response> {
  const text = await page.text();
  const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(text) ?? [];
  const [, token = ""] = /name="JWT" value="([^"]+)"/.exec(text) ?? [];
  expect(page.headers.get("content-security-policy")).toContain(`form-action 'self' ${platform.url};`);
  return fetch(action, { method: "POST", body: new URLSearchParams({ JWT: token }) });
}

test("an organiser adds an assignment, whose activity opens the problem and receives its grades", async () => {
  const begun = await platform.deepLink(organiser, TEACHER);
  const path = begun.headers.get("location") ?? "";
  expect([begun.status, path]).toEqual([303, expect.stringMatching(/^\/lti\/deep-link\/[\w-]{43}$/)]);
  expect(await (await organiser.get(path)).text()).toMatch(/Moodle[^]*GPU programming[^]*GPU course[^]*triple on cpu/);
  const chosen = await organiser.post(path, { competition: "gpu", problem: "triple" });
  expect([chosen.status, chosen.headers.get("location")]).toEqual([303, `${path}/response`]);
  const answer = await returned(await organiser.get(`${path}/response`));
  expect([answer.status, await answer.text()]).toEqual([200, "<p>Activities added: 1</p>"]);
  expect([...platform.columns.values()]).toMatchObject([
    { scoreMaximum: 40, label: "triple", resourceId: "gpu/triple", tag: "kernelbot" },
  ]);

  const [activity = { id: "" }] = platform.added;
  const student = fakeBrowser(testServer);
  const launch = await platform.launch(student, { id: "ann", name: "Ann" }, activity);
  const opened = await student.post(launch.headers.get("location") ?? "", { name: "ann" });
  expect([opened.status, opened.headers.get("location")]).toEqual([303, "/problems/triple"]);
  expect((await student.get("/problems/triple")).status).toBe(200);
  expect((await readCourseLti(testServer.database, olga, "gpu")).links).toMatchObject([
    { problem: "triple", platform: "Moodle", sendsGrades: true },
  ]);
});

test("the activity of a whole course opens the course, and has no grade column of its own", async () => {
  const { headers } = await platform.deepLink(organiser, TEACHER);
  const path = headers.get("location") ?? "";
  await organiser.post(path, { competition: "gpu", problem: "" });
  await returned(await organiser.get(`${path}/response`));
  expect(platform.added).toMatchObject([{ graded: false }]);
  const student = fakeBrowser(testServer);
  const launch = await platform.launch(student, { id: "ann", name: "Ann" }, platform.added[0] ?? { id: "" });
  const opened = await student.post(launch.headers.get("location") ?? "", { name: "ann" });
  expect(opened.headers.get("location")).toBe("/competitions/gpu/course");
});

test("a frame waits for the choice in another window, and returns it once", async () => {
  const frame = fakeBrowser(testServer);
  const begun = await platform.deepLink(frame, TEACHER, {}, FRAMED);
  const waiting = begun.headers.get("location") ?? "";
  const page = await frame.get(waiting);
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors http: https:");
  const [, path = ""] = /href="(\/lti\/deep-link\/[\w-]{43})" target="_blank"/.exec(await page.text()) ?? [];
  const stranger = await fakeBrowser(testServer).get(path);
  expect(stranger.headers.get("location")).toBe(`/sign-in?next=${encodeURIComponent(path)}`);
  const chosen = await organiser.post(path, { competition: "gpu", problem: "triple" });
  expect([chosen.status, await chosen.text()]).toEqual([200, expect.stringContaining("Close this window")]);
  expect((await organiser.post(path, { competition: "gpu", problem: "triple" })).status).toBe(404);
  expect((await returned(await frame.get(waiting))).status).toBe(200);
  const again = await frame.get(waiting);
  expect([again.status, await again.text()]).toEqual([404, expect.stringContaining("was already made")]);
  expect((await readCourseLti(testServer.database, olga, "gpu")).links).toHaveLength(1);
});

test("a platform that takes no column with an activity, and sends no data, gets none back", async () => {
  const settings = { accept_lineitem: false, data: undefined };
  const path = (await platform.deepLink(organiser, TEACHER, settings)).headers.get("location") ?? "";
  await organiser.post(path, { competition: "gpu", problem: "triple" });
  expect((await returned(await organiser.get(`${path}/response`))).status).toBe(200);
  expect(platform.added).toMatchObject([{ graded: false }]);
});

test("an account chooses only what it organises", async () => {
  const path = (await platform.deepLink(organiser, TEACHER)).headers.get("location") ?? "";
  const { database } = testServer;
  const other = await authenticate(database, await testServer.token("otto", ["read", "admin"], [], ["organiser"]));
  const participant = await authenticate(database, await testServer.token("pat"));
  for (const [who, status] of [
    [other, 404],
    [participant, 403],
  ] as const) {
    const browser = await signedIn(who);
    expect(await (await browser.get(path)).text()).toContain("does not organise a course");
    const refused = await browser.post(path, { competition: "gpu", problem: "triple" });
    expect([who.account.name, refused.status]).toEqual([who.account.name, status]);
  }
  const unknown = await organiser.post(path, { competition: "gpu", problem: "double" });
  expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining("is not an assignment of gpu")]);
  expect((await readCourseLti(database, olga, "gpu")).links).toEqual([]);
});

const SETTINGS = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings";
test.each<[what: string, user: object, settings: Record<string, unknown>, wrong: object, status: number, text: RegExp]>(
  [
    [
      "of a student",
      { role: "Learner" },
      {},
      {},
      403,
      /only teachers choose what an activity opens, and Moodle did not/,
    ],
    ["for other content", {}, { accept_types: ["link"] }, {}, 422, /does not accept activities of external tools/],
    ["without settings", {}, {}, { [SETTINGS]: undefined }, 422, /lacks valid deep_linking_settings;/],
    [
      "with a script to return to",
      {},
      { deep_link_return_url: "javascript:alert(1)" },
      {},
      422,
      /deep_link_return_url/,
    ],
    [
      "with a policy to return to",
      {},
      { deep_link_return_url: "https://a;script-src/" },
      {},
      422,
      /deep_link_return_url/,
    ],
    [
      "of another deployment",
      ...([{}, {}, { "https://purl.imsglobal.org/spec/lti/claim/deployment_id": "2" }, 404] as const),
      /deployment id &quot;2&quot;/,
    ],
  ],
)("a request %s is refused", async (_, user, settings, wrong, status, text) => {
  platform.wrong = wrong as Record<string, unknown>;
  const response = await platform.deepLink(organiser, { ...TEACHER, ...user }, settings);
  expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(text)]);
});
