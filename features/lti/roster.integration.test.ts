/** The members of a platform's course as the roster (LTI Names and Role Provisioning Services). */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { JSONWebKeySet } from "jose";
import { CompetitionSpec } from "@kernelbot/core";
import { CourseSpec } from "../courses/rules.ts";
import { fakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { startFakePlatform, type FakePlatform, type PlatformUser } from "./testing/fake-platform.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { beginSession } from "@kernelbot/server/src/auth/sessions.ts";
import { authenticate } from "@kernelbot/server/src/auth/tokens.ts";
import { createCompetition } from "@kernelbot/server/src/competitions/change.ts";
import { setCourse } from "../courses/courses.ts";
import { listStudents } from "../courses/grades.ts";
import { importRoster } from "../courses/roster.ts";
import { signOf } from "./key.ts";
import { createLink, revokeLink } from "./links.ts";
import { setPlatform } from "./platforms.ts";
import { importPlatformRoster } from "./roster.ts";

const LEARNER = "http://purl.imsglobal.org/vocab/lis/v2/membership#Learner";
const INSTRUCTOR = "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor";
let platform: FakePlatform;
let testServer: TestServer;
let olga: Identity;
let activity: { id: string; custom: string };

beforeAll(async () => {
  platform = await startFakePlatform();
});
afterAll(() => platform[Symbol.asyncDispose]());
beforeEach(async () => {
  Object.assign(platform, { wrong: {}, failing: 0, users: [], members: [] });
  testServer = await openTestServer();
  const { database } = testServer;
  platform.toolKeys = async () => (await (await testServer.ask("/lti/jwks")).json()) as JSONWebKeySet;
  olga = await authenticate(database, await testServer.token("olga", ["read", "admin"], [], ["organiser"]));
  const root = await authenticate(database, await testServer.token("root", ["read", "admin"]));
  await createCompetition(
    database,
    olga,
    CompetitionSpec.parse({
      ...{ name: "gpu", title: "GPU course", participants: "members", problems: ["triple"] },
      ...{ startsAt: "2020-01-01T00:00:00Z", endsAt: "2100-01-01T00:00:00Z" },
    }),
  );
  const assignments = [{ problem: "triple", target: "cpu", dueAt: "2099-01-01T00:00:00Z" }];
  await setCourse(database, olga, CourseSpec.parse({ competition: "gpu", assignments }));
  await setPlatform(database, root, platform.registration);
  const { secret } = await createLink(database, olga, "gpu", {});
  activity = { id: "activity", custom: `kernelbot=${secret}` };
  return () => testServer[Symbol.asyncDispose]();
});

/** Opens the activity as a user, who chooses an account. */
async function opened(user: PlatformUser): Promise<void> {
  const browser = fakeBrowser(testServer);
  const response = await platform.launch(browser, user, activity);
  await browser.post(response.headers.get("location") ?? "", { name: user.id });
}
const teacher = () => opened({ id: "tom", name: "Tom Teacher", role: "Instructor" });
const member = (id: string, more: object = {}) => ({
  ...{ user_id: id, status: "Active", roles: [LEARNER], name: `Name of ${id}`, email: `${id}@example.edu` },
  ...more,
});
async function imported(by = olga) {
  const { database } = testServer;
  const signer = await testSigner(database);
  return importPlatformRoster(database, signOf({ signer }), by, "gpu");
}
const roster = async () =>
  (await listStudents(testServer.database, olga, "gpu")).students.map(({ name, email, group, account }) =>
    [name, email, group, account?.name].filter((each) => each != null),
  );

test("active students of all pages are added and updated, and those who left remain and are reported", async () => {
  await importRoster(
    testServer.database,
    olga,
    "gpu",
    "name,email,group\nOld,ann@example.edu,A\nLeft,left@example.edu,B\n",
  );
  await teacher();
  platform.members = [
    member("ann", { email: "ANN@example.edu", roles: ["Learner"] }),
    member("bob"),
    member("tom", { roles: [INSTRUCTOR] }),
    member("eve", { name: null, given_name: "Eve", family_name: "Evans", status: null, picture: null }),
    member("left", { status: "Inactive" }),
  ];
  expect(await imported()).toEqual({
    ...{ added: 2, updated: 1, unchanged: 0, missing: ["left@example.edu"], others: 1, rejected: [] },
  });
  expect(await roster()).toEqual([
    ["Eve Evans", "eve@example.edu"],
    ["Left", "left@example.edu", "B"],
    ["Name of ann", "ann@example.edu", "A"],
    ["Name of bob", "bob@example.edu"],
  ]);
  expect(await imported()).toMatchObject({ added: 0, updated: 0, unchanged: 3 });
});

test("a student without an address is found by the first launch, and keeps the row when the platform sends one later", async () => {
  await teacher();
  platform.members = [member("42", { email: undefined })];
  await imported();
  await opened({ id: "42", name: "Ann" });
  const row = ["Name of 42", "42@platform-1.invalid", "42"];
  expect(await roster()).toEqual([row]);
  platform.members = [member("42", { email: "ann@example.edu" })];
  expect(await imported()).toMatchObject({ added: 0, unchanged: 1, missing: [] });
  expect(await roster()).toEqual([row]);
});

test("a student of the platform's list is found by their user, whatever address the platform sends later", async () => {
  await importRoster(testServer.database, olga, "gpu", "name,email\nBen,ben@example.edu\n");
  await teacher();
  platform.members = [member("ann"), member("ben")];
  await imported();
  await opened({ id: "ann", name: "Ann", email: "new@example.edu" });
  // An organiser added Ben, so the unverified address of a user of the platform is not enough.
  await opened({ id: "ben", name: "Ben of the platform", email: "ben@example.edu" });
  expect(await roster()).toEqual([
    ["Ben of the platform", "ben@platform-1.invalid", "ben"],
    ["Name of ann", "ann@example.edu", "ann"],
    ["Name of ben", "ben@example.edu"],
  ]);
});

test("students that cannot be imported are reported, and do not prevent the others", async () => {
  await teacher();
  platform.members = [
    member("ann"),
    member("twin", { email: "ann@example.edu" }),
    member("bad", { email: "no address" }),
    member("long", { name: "x".repeat(201) }),
    member("odd", { name: "\u202eevil" }),
  ];
  expect(await imported()).toMatchObject({
    added: 1,
    rejected: [
      { member: "Name of twin", reason: "Name of ann has the address ann@example.edu too" },
      { member: "Name of bad", reason: expect.stringContaining("not a valid e-mail address") as string },
      { member: "x".repeat(201), reason: "name must have 1 to 200 printable characters" },
      { member: "\u202eevil", reason: "name must have 1 to 200 printable characters" },
    ],
  });
});

test.each<[what: string, change: () => void, message: RegExp]>([
  ["is down", () => (platform.failing = 503), /Moodle did not list the members of its course: .*responded with 503/],
  ["does not grant the scope", () => (platform.scopes = platform.scopes.slice(0, 2)), /gave no token: invalid_scope/],
  [
    "sends an invalid list",
    () => (platform.members = [{ user_id: "1" }]),
    /list of members is invalid at "members.0.roles"/,
  ],
  [
    "has a list without an end",
    () => (platform.members = Array.from({ length: 102 }, (_, n) => member(String(n)))),
    /list has more than 50 pages/,
  ],
])("nothing is changed if the platform %s", async (_, change, message) => {
  await teacher();
  const { scopes } = platform;
  change();
  await expect(imported()).rejects.toThrow(message);
  platform.scopes = scopes;
  expect(await roster()).toEqual([]);
});

test("a course that was not opened from a platform which lists its members has no such roster", async () => {
  await expect(imported()).rejects.toThrow(/no learning platform lists the members/);
  platform.wrong = { "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice": undefined };
  await teacher();
  await expect(imported()).rejects.toThrow(/no learning platform lists the members/);
  platform.wrong = {};
  await opened({ id: "tom", name: "Tom", role: "Instructor" });
  const [row] = await testServer.database.sql<{ id: number }>`select id::integer from lti_link`;
  await revokeLink(testServer.database, olga, "gpu", row?.id ?? 0);
  await expect(imported()).rejects.toThrow(/no learning platform lists the members/);
  const other = await authenticate(
    testServer.database,
    await testServer.token("otto", ["read", "admin"], [], ["organiser"]),
  );
  await expect(imported(other)).rejects.toMatchObject({ code: "forbidden" });
});

test("the organiser's page takes over the students, and shows what was not imported and who left", async () => {
  const organiser = fakeBrowser(testServer);
  const at = { address: "192.0.2.1", userAgent: "Browser/1" };
  const session = await testServer.database.db.transaction().execute((open) => beginSession(open, olga.account.id, at));
  organiser.cookies.set("kernelbot_session", session);
  const page = "/admin/competitions/gpu/course";
  expect(await (await organiser.get(page)).text()).not.toContain("Take over the students");
  await teacher();
  await importRoster(testServer.database, olga, "gpu", "name,email\nLeft,left@example.edu\n");
  platform.members = [member("ann"), member("bad", { email: "no address" })];
  expect(await (await organiser.get(page)).text()).toMatch(/Take over the students of Moodle: GPU programming/);
  const done = await (await organiser.post(`${page}/platform-roster`)).text();
  expect(done).toMatch(/1 student added, 0 updated[^]*Name of bad: [^]*not a valid e-mail[^]*left@example\.edu/);
  platform.failing = 500;
  const failed = await organiser.post(`${page}/platform-roster`);
  expect([failed.status, await failed.text()]).toEqual([422, expect.stringContaining("did not list the members")]);
});
