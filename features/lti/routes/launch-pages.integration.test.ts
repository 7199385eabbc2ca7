/** Opening a course from a learning platform, and attacks on it. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CompetitionSpec } from "@kernelbot/core";
import { CourseSpec } from "../../courses/rules.ts";
import { fakeBrowser, type FakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { startFakePlatform, type Activity, type FakePlatform } from "../testing/fake-platform.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { authenticate } from "@kernelbot/server/src/auth/tokens.ts";
import { createCompetition } from "@kernelbot/server/src/competitions/change.ts";
import { setCourse } from "../../courses/courses.ts";
import { listStudents } from "../../courses/grades.ts";
import { importRoster } from "../../courses/roster.ts";
import { createLink, revokeLink } from "../links.ts";
import { removePlatform, setPlatform } from "../platforms.ts";

let platform: FakePlatform;
let testServer: TestServer;
let olga: Identity;
let root: Identity;
let activity: Activity;
let number = 0;

beforeAll(async () => {
  platform = await startFakePlatform();
  testServer = await openTestServer();
  const { database } = testServer;
  olga = await authenticate(database, await testServer.token("olga", ["read", "admin"], [], ["organiser"]));
  root = await authenticate(database, await testServer.token("root", ["read", "admin"]));
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
  await importRoster(database, olga, "gpu", "name,email\nAda Lovelace,ada@example.edu\n");
});
afterAll(async () => {
  await testServer[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});
beforeEach(async () => {
  number += 1;
  Object.assign(platform, { wrong: {}, forged: false });
  await setPlatform(testServer.database, root, platform.registration);
  activity = await newActivity(`activity-${number}`);
});

async function newActivity(id: string): Promise<Activity> {
  const { secret } = await createLink(testServer.database, olga, "gpu", {});
  return { id, custom: `kernelbot=${secret}` };
}

const browserOf = (): FakeBrowser => fakeBrowser(testServer);
const student = (more = {}) => ({ id: `user-${number}`, name: `Student ${number}`, ...more });
/** Returns the path to which a launch redirects. */
async function launched(browser: FakeBrowser, user = student(), headers = {}): Promise<string> {
  const response = await platform.launch(browser, user, activity, headers);
  expect([response.status, await response.text()]).toEqual([303, ""]);
  return response.headers.get("location") ?? "";
}
async function nameIn(browser: FakeBrowser): Promise<string | undefined> {
  const response = await browser.get("/api/v1/account");
  return response.ok ? ((await response.json()) as { name: string }).name : undefined;
}
const rosterNames = async () =>
  (await listStudents(testServer.database, olga, "gpu")).students.map(({ name, email, account, enrolledBy }) => [
    ...[name, email, account?.name, enrolledBy],
  ]);

test("a student chooses a name at the first launch, is on the roster, and later continues at once", async () => {
  const browser = browserOf();
  const path = await launched(browser);
  const page = await (await browser.get(path)).text();
  expect(page).toMatch(new RegExp(`Moodle identified you as <strong>Student ${number}</strong>`));
  const created = await browser.post(path, { name: `kernel-${number}` });
  expect([created.status, created.headers.get("location")]).toEqual([303, "/competitions/gpu/course"]);
  expect(await nameIn(browser)).toBe(`kernel-${number}`);
  expect(await rosterNames()).toContainEqual([
    `Student ${number}`,
    expect.stringMatching(/^user-\d+@platform-\d+\.invalid$/),
    `kernel-${number}`,
    "platform",
  ]);
  expect((await browser.get("/competitions/gpu/course")).status).toBe(200);

  const again = browserOf();
  const back = await again.get(await launched(again));
  expect([back.status, back.headers.get("location")]).toEqual([303, "/competitions/gpu/course"]);
  expect(await nameIn(again)).toBe(`kernel-${number}`);
});

test("a student of the roster is matched by an address that the platform has verified, and a teacher is a member who sees no grades", async () => {
  const browser = browserOf();
  await browser.post(await launched(browser, student({ email: "ADA@example.edu", emailVerified: true })), {
    name: `ada-${number}`,
  });
  expect(await rosterNames()).toContainEqual(["Ada Lovelace", "ada@example.edu", `ada-${number}`, "platform"]);
  const teacher = browserOf();
  const user = { id: "teacher", name: "Tom Teacher", role: "Instructor" as const };
  await teacher.post(await launched(teacher, user), { name: `tom-${number}` });
  expect(await nameIn(teacher)).toBe(`tom-${number}`);
  expect((await rosterNames()).map(([name]) => name)).not.toContain("Tom Teacher");
  expect((await teacher.get("/competitions/gpu/course")).status).toBe(200);
  expect((await teacher.get("/admin/competitions/gpu/course")).status).toBe(403);
});

test("a user whose address the platform has not verified does not become the student of the roster with it", async () => {
  await importRoster(testServer.database, olga, "gpu", "name,email\nBen Bitdiddle,ben@example.edu\n");
  const impostor = browserOf();
  await impostor.post(await launched(impostor, student({ email: "ben@example.edu" })), { name: `mallory-${number}` });
  expect(await rosterNames()).toContainEqual(["Ben Bitdiddle", "ben@example.edu", undefined, null]);
  const placeholder = `user-${number}@platform-1.invalid`;
  expect(await rosterNames()).toContainEqual([`Student ${number}`, placeholder, `mallory-${number}`, "platform"]);
});

test("a platform that sends null for every claim that may be missing is accepted", async () => {
  const claims = ["lti/claim/roles", "lti-ags/claim/endpoint", "lti-nrps/claim/namesroleservice"];
  const nulls = claims.map((claim) => [`https://purl.imsglobal.org/spec/${claim}`, null] as const);
  platform.wrong = { name: null, ...Object.fromEntries(nulls) };
  const browser = browserOf();
  const path = await launched(browser, { id: `null-${number}`, name: "" });
  expect((await browser.post(path, { name: `null-${number}` })).status).toBe(303);
});

test("a platform that sends neither name nor address, and several audiences, is accepted", async () => {
  platform.wrong = { name: undefined, aud: ["tool-client", "another-tool"], azp: "tool-client" };
  const browser = browserOf();
  const path = await launched(browser, { id: `secret-${number}`, name: "" });
  expect((await browser.post(path, { name: `anon-${number}` })).status).toBe(303);
  expect((await rosterNames()).map(([name]) => name)).toContain(`secret-${number}@platform-1.invalid`);
});

test("an account that is signed in is linked only if its browser began the launch", async () => {
  const browser = browserOf();
  await browser.post(await launched(browser), { name: `first-${number}` });
  activity = await newActivity(`second-${number}`);
  const path = await launched(browser, { id: `other-${number}`, name: "Other" });
  expect(await (await browser.get(path)).text()).toContain(`Continue as first-${number}`);
  await browser.post(path);
  expect(await nameIn(browser)).toBe(`first-${number}`);

  // An attacker launches, and sends the address to a participant who is signed in.
  activity = await newActivity(`third-${number}`);
  const stolen = await launched(browserOf(), { id: `attacker-${number}`, name: "Attacker" });
  const page = await (await browser.get(stolen)).text();
  expect(page).not.toContain(`<button>Continue as first-${number}`);
  const refused = await browser.post(stolen);
  expect([refused.status, await nameIn(browser)]).toEqual([422, `first-${number}`]);
});

test("another browser must confirm before it is signed in to a known account", async () => {
  const browser = browserOf();
  await browser.post(await launched(browser), { name: `known-${number}` });
  const path = await launched(browserOf());
  const victim = browserOf();
  expect(await (await victim.get(path)).text()).toContain(`Continue as known-${number}`);
  expect(await nameIn(victim)).toBeUndefined();
  expect((await victim.post(path, {}, { origin: "https://evil.example" })).status).toBe(403);
  await victim.post(path);
  expect(await nameIn(victim)).toBe(`known-${number}`);
});

test("the parameter may be in the URL of the activity, where a platform has no custom parameters", async () => {
  activity = { id: activity.id, query: `?${activity.custom ?? ""}` };
  expect(await launched(browserOf())).toMatch(/^\/lti\/continue\//);
});

test("in a frame, the launch shows a link to a window of its own", async () => {
  const browser = browserOf();
  const response = await platform.launch(browser, student(), activity, { "sec-fetch-dest": "iframe" });
  const page = await response.text();
  expect(page).toMatch(/href="\/lti\/continue\/[\w-]{43}" target="_blank"/);
  expect(response.headers.get("content-security-policy")).toContain("frame-ancestors http: https:");
  const [, path = ""] = /href="(\/lti\/continue\/[\w-]{43})"/.exec(page) ?? [];
  const opened = await browserOf().get(path);
  expect([opened.status, opened.headers.get("content-security-policy")]).toEqual([
    200,
    expect.stringContaining("frame-ancestors 'none'"),
  ]);
});

test.each<[what: string, change: () => Partial<FakePlatform>, status: number, message: RegExp]>([
  ["another key", () => ({ forged: true }), 403, /Moodle did not confirm this launch/],
  ["another nonce", () => ({ wrong: { nonce: "another" } }), 403, /did not confirm/],
  ["another issuer", () => ({ wrong: { iss: "https://evil.example" } }), 403, /did not confirm/],
  ["another audience", () => ({ wrong: { aud: "another" } }), 403, /did not confirm/],
  [
    "several audiences, authorized for another",
    () => ({ wrong: { aud: ["tool-client", "another"], azp: "another" } }),
    403,
    /did not confirm/,
  ],
  [
    "several audiences, authorized for none",
    () => ({ wrong: { aud: ["tool-client", "another"] } }),
    403,
    /did not confirm/,
  ],
  ["an expiry in the past", () => ({ wrong: { exp: 1 } }), 403, /did not confirm/],
  [
    "another deployment",
    () => ({ wrong: { "https://purl.imsglobal.org/spec/lti/claim/deployment_id": "2" } }),
    404,
    /no learning platform is registered .* deployment id &quot;2&quot;/,
  ],
  [
    "another message",
    () => ({ wrong: { "https://purl.imsglobal.org/spec/lti/claim/message_type": "LtiStartProctoring" } }),
    422,
    /lacks valid message_type/,
  ],
])("a launch with %s is refused", async (_, change, status, message) => {
  Object.assign(platform, change());
  const browser = browserOf();
  const response = await platform.launch(browser, student(), activity);
  expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(message)]);
});

test("state and launch are usable once", async () => {
  const browser = browserOf();
  const login = { iss: platform.url, login_hint: "user-1", client_id: "tool-client" };
  await platform.launch(browserOf(), { id: "user-1", name: "One" }, activity);
  const begun = await browser.post("/lti/login", login, { origin: platform.url });
  const { fields } = await platform.authenticate(begun.headers.get("location") ?? "");
  const first = await browser.post("/lti/launch", fields, { origin: platform.url });
  expect(first.status).toBe(303);
  const second = await browser.post("/lti/launch", fields, { origin: platform.url });
  expect([second.status, await second.text()]).toEqual([400, expect.stringContaining("was already used")]);
  const path = first.headers.get("location") ?? "";
  await browser.post(path, { name: `once-${number}` });
  expect((await browserOf().get(path)).status).toBe(404);
});

test("a link opens one activity, until it is revoked", async () => {
  await launched(browserOf());
  const copied = { ...activity, id: "copy" };
  const refused = await platform.launch(browserOf(), student(), copied);
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("belongs to another activity")]);
  const rows = await testServer.database.sql<{ id: number }>`select max(id)::integer as id from lti_link`;
  await revokeLink(testServer.database, olga, "gpu", rows[0]?.id ?? 0);
  const revoked = await platform.launch(browserOf(), student(), activity);
  expect([revoked.status, await revoked.text()]).toEqual([404, expect.stringContaining("was revoked or is incorrect")]);
  const none = await platform.launch(browserOf(), student(), { id: "none" });
  expect(await none.text()).toContain("this activity has no course");
});

test("a platform that was removed cannot begin a launch, and its links are revoked", async () => {
  await launched(browserOf());
  const [row] = await testServer.database.sql<{ id: number }>`select id::integer from lti_platform`;
  await removePlatform(testServer.database, root, row?.id ?? 0);
  const response = await browserOf().get(`/lti/login?iss=${encodeURIComponent(platform.url)}&login_hint=1`);
  expect(response.status).toBe(404);
  const open = await testServer.database.sql`select from lti_link where revoked_at is null and launched_at is not null`;
  expect(open).toEqual([]);
});

test("platforms of an issuer, whose users have the same accounts, have the same keys", async () => {
  const second = { ...platform.registration, clientId: "second", name: "Second" };
  const registered = await setPlatform(testServer.database, root, second);
  await removePlatform(testServer.database, root, registered.id);
  const jwksUrl = "https://canvas.example.edu/jwks";
  await expect(setPlatform(testServer.database, root, { ...second, jwksUrl })).rejects.toThrow(
    "must have the same keys",
  );
});

test("addresses of a platform must use https, except on loopback", async () => {
  const registration = { ...platform.registration, tokenUrl: "http://moodle.example.edu/token" };
  await expect(setPlatform(testServer.database, root, registration)).rejects.toThrow(/must begin with https/);
});
