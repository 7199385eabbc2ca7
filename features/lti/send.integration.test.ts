/** Grades of a course at a learning platform. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { JSONWebKeySet } from "jose";
import { CompetitionSpec } from "@kernelbot/core";
import { CourseSpec } from "../courses/rules.ts";
import { fakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { startFakePlatform, type FakePlatform } from "./testing/fake-platform.ts";
import { ranked, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { beginSession } from "@kernelbot/server/src/auth/sessions.ts";
import { authenticate, issueToken } from "@kernelbot/server/src/auth/tokens.ts";
import { changeCompetition, createCompetition } from "@kernelbot/server/src/competitions/change.ts";
import { setCourse } from "../courses/courses.ts";
import { setExtension } from "../courses/roster.ts";
import { removeAny } from "@kernelbot/server/src/moderation/remove.ts";
import { createLink, readCourseLti, revokeLink } from "./links.ts";
import { setPlatform } from "./platforms.ts";
import { retryScores, updateScores } from "./scores.ts";
import { openSender, scoresAddress } from "./send.ts";

const HOUR_MS = 3_600_000;
const THRESHOLDS = [
  { speedup: 2, points: 70 },
  { speedup: 4, points: 100 },
];

let platform: FakePlatform;
let testServer: TestServer;
let olga: Identity;
let box: Identity;
beforeAll(async () => {
  platform = await startFakePlatform();
});
afterAll(() => platform[Symbol.asyncDispose]());

beforeEach(async () => {
  testServer = await openTestServer();
  const { database } = testServer;
  Object.assign(platform, { failing: 0, scores: [], tokens: 0, users: [] });
  platform.columns.clear();
  platform.toolKeys = async () => (await (await testServer.ask("/lti/jwks")).json()) as JSONWebKeySet;
  olga = await authenticate(database, await testServer.token("olga", ["read", "admin"], [], ["organiser"]));
  const root = await authenticate(database, await testServer.token("root", ["read", "admin"]));
  box = await runner(database);
  await createCompetition(database, olga, competition("triple", "double"));
  await setRules();
  await setPlatform(database, root, platform.registration);
  return () => testServer[Symbol.asyncDispose]();
});

const competition = (...problems: string[]) =>
  CompetitionSpec.parse({
    ...{ name: "gpu", title: "GPU course", participants: "members", problems },
    ...{ startsAt: "2020-01-01T00:00:00Z", endsAt: "2100-01-01T00:00:00Z" },
  });

/** Sets a deadline that has passed an hour ago, after which a day costs a tenth. */
async function setRules(correctPoints = 40): Promise<void> {
  const rules = { target: "cpu", correctPoints, thresholds: THRESHOLDS, lateDays: 3, penaltyPerDay: 0.1 };
  const dueAt = new Date(Date.now() - HOUR_MS).toISOString();
  const assignments = [
    { problem: "triple", dueAt, ...rules },
    { problem: "double", dueAt: "2099-01-01T00:00:00Z", ...rules },
  ];
  await setCourse(testServer.database, olga, CourseSpec.parse({ competition: "gpu", assignments }));
}

/** Opens an activity as a student, who gets an account. */
async function enrolled(name: string, problem?: string, id = "activity"): Promise<Identity> {
  const { database } = testServer;
  const { secret } = links.get(id) ?? (await createLink(database, olga, "gpu", { problem }));
  links.set(id, { secret });
  const browser = fakeBrowser(testServer);
  const activity = { id, custom: `kernelbot=${secret}`, graded: problem !== undefined };
  const response = await platform.launch(
    browser,
    { id: `user-${name}`, name, email: `${name}@example.edu`, emailVerified: true },
    activity,
  );
  await browser.post(response.headers.get("location") ?? "", { name });
  const [account] = await database.sql<{ id: string }>`select id from account where name = ${name}`;
  const token = await issueToken(database, { accountId: account?.id ?? "", label: "t", scopes: ["submit", "read"] });
  return authenticate(database, token);
}
const links = new Map<string, { secret: string }>();
beforeEach(() => links.clear());

/** Submits with a runtime; the reference takes 1000 ns. */
const submit = (who: Identity, timeNs: number, board = "triple") =>
  ranked(testServer.database, who, box, timeNs, { board });

/** Sends what is due at the given number of seconds from now. */
async function sent(afterS = 0): Promise<void> {
  const { database } = testServer;
  const signer = await testSigner(database);
  await updateScores(database);
  const clock = () => new Date(Date.now() + afterS * 1000);
  const sender = openSender(database, { sign: (bytes) => signer.sign(bytes), clock });
  await sender.start();
  await sender.idle();
}
const received = () =>
  platform.scores.map(({ userId, scoreGiven, scoreMaximum }) => [userId, scoreGiven, scoreMaximum]);
const state = () => readCourseLti(testServer.database, olga, "gpu");

test("an activity of an assignment receives the grades of the course, with late days and extensions", async () => {
  const ann = await enrolled("ann", "triple");
  await submit(ann, 400);
  await sent();
  expect(received()).toEqual([["user-ann", 63, 100]]);
  expect(platform.scores[0]?.column).toBe(`${platform.url}/7/lineitems/activity/lineitem?type_id=1`);
  await setExtension(testServer.database, olga, "gpu", {
    email: "ann@example.edu",
    problem: "triple",
    dueAt: new Date(Date.now() + HOUR_MS).toISOString(),
  });
  await sent();
  expect(received().slice(1)).toEqual([["user-ann", 70, 100]]);
  expect(await state()).toMatchObject({ sent: 1, queued: 0, failed: [], links: [{ sendsGrades: true }] });
  expect((await state()).lastSentAt).not.toBeNull();
});

test("an unchanged grade is not sent again, a better one and one that no longer counts are, each with a later time", async () => {
  const ann = await enrolled("ann", "double");
  await submit(ann, 400, "double");
  await sent();
  await sent();
  const better = await submit(ann, 200, "double");
  await sent();
  const root = await authenticate(testServer.database, await testServer.token("root", ["read", "admin"]));
  await removeAny(testServer.database, root, better, { reason: "copied" });
  await sent();
  expect(received().map(([, points]) => points)).toEqual([70, 100, 70]);
  const seconds = platform.scores.map(({ timestamp }) => Math.floor(Date.parse(timestamp) / 1000));
  expect(seconds).toEqual([...new Set(seconds)].toSorted((a, b) => a - b));
});

test("an activity of the whole course gets a column for each assignment, created once for the class", async () => {
  const students = [await enrolled("ann"), await enrolled("bob"), await enrolled("eve")];
  // Columns of other tools fill the first pages of the list.
  for (const n of [1, 2, 3])
    platform.columns.set(`other-${n}`, { id: `${platform.url}/other/${n}`, resourceId: "gpu/x" });
  for (const each of students) for (const board of ["triple", "double"]) await submit(each, 400, board);
  await sent();
  const ours = [...platform.columns.values()].filter(({ tag }) => tag === "kernelbot");
  expect(ours.map(({ label, resourceId, scoreMaximum }) => [label, resourceId, scoreMaximum]).toSorted()).toEqual([
    ["double", "gpu/double", 100],
    ["triple", "gpu/triple", 100],
  ]);
  expect(received()).toHaveLength(6);
  expect(await state()).toMatchObject({ sent: 6, failed: [] });
});

test("no grade is lost while the platform is down: the newest is sent once it is back", async () => {
  const ann = await enrolled("ann", "double");
  await submit(ann, 400, "double");
  platform.failing = 503;
  await sent();
  const { failed } = await state();
  expect(failed).toMatchObject([{ account: "ann", student: "ann", problem: "double", points: 70, tries: 1 }]);
  expect(failed[0]?.error).toBe("the platform gave no token: it responded with 503");
  await sent();
  expect((await state()).failed[0]?.tries).toBe(1);
  await sent(11);
  expect((await state()).failed[0]?.tries).toBe(2);
  await submit(ann, 200, "double");
  platform.failing = 0;
  await sent();
  expect(received()).toEqual([["user-ann", 100, 100]]);
});

test("grades are computed again only for a course with changes, and by one of several servers", async () => {
  const { database } = testServer;
  const ann = await enrolled("ann", "double");
  await submit(ann, 400, "double");
  const both = await Promise.all([updateScores(database), updateScores(database)]);
  expect(both.toSorted((a, b) => a.length - b.length)).toEqual([[], ["gpu"]]);
  expect(await updateScores(database)).toEqual([]);
  await submit(ann, 200, "double");
  expect(await updateScores(database)).toEqual(["gpu"]);
  await setRules(50);
  expect(await updateScores(database)).toEqual(["gpu"]);
  await enrolled("bob", "double");
  expect(await updateScores(database)).toEqual(["gpu"]);
  const email = "ann@example.edu";
  await setExtension(database, olga, "gpu", { email, problem: "double", dueAt: "2099-02-01T00:00:00Z" });
  expect(await updateScores(database)).toEqual(["gpu"]);
  expect(await updateScores(database)).toEqual([]);
  await changeCompetition(database, olga, competition("triple"));
  expect(await updateScores(database)).toEqual(["gpu"]);
});

test("an expired token is replaced, and tokens are used for several grades", async () => {
  for (const name of ["ann", "bob"]) await submit(await enrolled(name, "double"), 400, "double");
  await sent();
  const used = platform.tokens;
  expect(used).toBeLessThanOrEqual(2);
  platform.expireTokens();
  await submit(await enrolled("eve", "double"), 400, "double");
  await sent();
  expect(received()).toHaveLength(3);
  expect(platform.tokens).toBe(used + 1);
});

test("a refused grade is reported with the reason, and sent again on request", async () => {
  const ann = await enrolled("ann", "double");
  await submit(ann, 400, "double");
  platform.users = [];
  await sent();
  expect((await state()).failed).toMatchObject([
    { error: 'the platform responded with 400: {"error":"Incorrect score"}', tries: 1 },
  ]);
  platform.users = [{ id: "user-ann" }];
  await retryScores(testServer.database, "gpu");
  expect(await state()).toMatchObject({ queued: 1, failed: [] });
  await sent();
  expect(received()).toEqual([["user-ann", 70, 100]]);
});

test("the organiser's page creates links, shows what the platform refuses, sends it again, and revokes", async () => {
  const { database } = testServer;
  const organiser = fakeBrowser(testServer);
  const at = { address: "192.0.2.1", userAgent: "Browser/1" };
  const session = await database.db.transaction().execute((open) => beginSession(open, olga.account.id, at));
  organiser.cookies.set("kernelbot_session", session);
  const page = "/admin/competitions/gpu/course/lti";
  expect(await (await organiser.get(page)).text()).toMatch(/Registered: Moodle[^]*No links yet/);
  const created = await (await organiser.post(page, { problem: "double" })).text();
  const [, secret = ""] = /kernelbot=([\w-]{43})/.exec(created) ?? [];
  links.set("activity", { secret });
  const ann = await enrolled("ann", "double");
  await submit(ann, 400, "double");
  platform.users = [];
  await sent();
  const failed = await (await organiser.get(page)).text();
  expect(failed).toMatch(/Moodle[^]*Incorrect score/);
  expect(failed).not.toContain(secret);
  platform.users = [{ id: "user-ann" }];
  expect((await organiser.post(`${page}/send`)).headers.get("location")).toBe(`${page}?done=sending`);
  await sent();
  expect(await (await organiser.get(page)).text()).toMatch(/1 grade accepted by the\s+platform, the last one sent at/);
  const unknown = await organiser.post(page, { problem: "other" });
  expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining("is not an assignment of gpu")]);
  const [link] = (await state()).links;
  await organiser.post(`${page}/revoke`, { id: String(link?.id) });
  expect((await state()).links).toMatchObject([{ revokedAt: expect.any(String) as string }]);
});

test("a score that another server has leased is not sent, and is sent when that server has ended", async () => {
  const ann = await enrolled("ann", "double");
  await submit(ann, 400, "double");
  await updateScores(testServer.database);
  await testServer.database.sql`update lti_score set lease_until = now() + interval '2 minutes', stamp = now()`;
  await sent();
  expect(received()).toEqual([]);
  await sent(121);
  expect(received()).toEqual([["user-ann", 70, 100]]);
});

test("a column that was deleted at the platform is created again", async () => {
  const ann = await enrolled("ann");
  await submit(ann, 400, "double");
  await sent();
  platform.columns.clear();
  await submit(ann, 200, "double");
  await sent();
  expect((await state()).failed[0]?.error).toMatch(/responded with 404/);
  await sent(11);
  expect(received().at(-1)).toEqual(["user-ann", 100, 100]);
});

test("a response that is too large is an error, and is not read to its end", async () => {
  const ann = await enrolled("ann");
  platform.columns.set("huge", { id: platform.url, resourceId: "gpu/double", label: "x".repeat(5 * 2 ** 20) });
  await submit(ann, 400, "double");
  await sent();
  expect((await state()).failed[0]?.error).toMatch(/the platform's response is larger than 4194304 bytes$/);
});

test("nothing is sent for a revoked link, or to a platform that grants no scores", async () => {
  const ann = await enrolled("ann", "double");
  const { links: all } = await state();
  await revokeLink(testServer.database, olga, "gpu", all[0]?.id ?? 0);
  await submit(ann, 400, "double");
  await sent();
  expect(received()).toEqual([]);
  expect((await state()).links).toMatchObject([{ sendsGrades: false }]);
});

test("the address of scores keeps the query of the column", () => {
  expect(scoresAddress("https://moodle.example/mod/lti/services.php/2/lineitems/3/lineitem?type_id=1").href).toBe(
    "https://moodle.example/mod/lti/services.php/2/lineitems/3/lineitem/scores?type_id=1",
  );
  expect(scoresAddress("https://canvas.example/api/lti/courses/1/line_items/2").pathname).toMatch(/2\/scores$/);
});

test("the key is stored encrypted", async () => {
  await testServer.ask("/lti/jwks");
  const [row] = await testServer.database.sql<{ pem: string }>`select pem from lti_key`;
  expect(row?.pem).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----/);
});
