/** Joining a competition by an invite link in a browser. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Mailer } from "../../auth/email/mailer.ts";
import { readProviders } from "../../auth/providers.ts";
import type { Site } from "../../http/site.ts";
import { fakeBrowser, HERE } from "@kernelbot/testing/fake-browser.ts";
import { inHours } from "@kernelbot/testing/competitions.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let olga: string;
let join: string;
beforeAll(async () => {
  testServer = await openTestServer();
  olga = await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]);
  const competition = {
    ...{ name: "spring", title: "Spring kernels", visibility: "closed", problems: ["triple"] },
    ...{ startsAt: inHours(-1), endsAt: inHours(1) },
  };
  expect((await send("/competitions", competition)).status).toBe(201);
  const made = await send("/competitions/spring/invite-links", { maxUses: 5, days: 1 });
  expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"]);
  join = ((await made.json()) as { url: string }).url.slice(HERE.length);
});
afterAll(() => testServer[Symbol.asyncDispose]());

function send(path: string, body: unknown, token = olga): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return testServer.ask(`/api/v1${path}`, token, { method: "POST", headers, body: JSON.stringify(body) });
}

test("a visitor chooses a name, is signed in with a new session and joins; viewing the page uses nothing up", async () => {
  const browser = fakeBrowser(testServer);
  for (let views = 0; views < 2; views += 1) {
    const text = await (await browser.get(join)).text();
    expect(text).toContain("Join Spring kernels");
    expect(text).not.toContain("kernelbot admin");
  }
  const taken = await browser.post(join, { name: "olga" });
  expect(taken.status).toBe(409);
  expect(await taken.text()).toMatch(/already has the name[^]*value="olga"/);
  const joined = await browser.post(join, { name: "Zoë" });
  expect([joined.status, joined.headers.get("location")]).toEqual([303, "/competitions/spring"]);
  expect(joined.headers.getSetCookie().join()).toMatch(/kernelbot_session=[\w-]{43}; .*HttpOnly; SameSite=Lax/);
  expect((await browser.get("/competitions/spring")).status).toBe(200);
  // The same browser opens the link again: it is a member, and no second account is created.
  expect(await (await browser.get(join)).text()).toContain("You join as <strong>Zoë</strong>");
  expect((await browser.post(join, { name: "Other" })).status).toBe(303);
  expect(await testServer.database.sql`select 1 from account where name = 'Other'`).toHaveLength(0);
});

test("a form on another site does not join or register", async () => {
  const browser = fakeBrowser(testServer);
  expect((await browser.post(join, { name: "eve" }, { origin: "https://evil.example" })).status).toBe(403);
  expect(browser.cookies.size).toBe(0);
});

test("a terminal joins by the same link", async () => {
  const ann = await testServer.token("ann");
  const joined = await send("/invites/claim", { code: join.slice("/join/".length) }, ann);
  expect(await joined.json()).toEqual({ competitions: ["spring"] });
});

test("an unknown link says whom to ask, and a code leads to the sign-in page without operator's commands", async () => {
  const browser = fakeBrowser(testServer);
  const unknown = await browser.get(`/join/${"A".repeat(43)}`);
  expect([unknown.status, await unknown.text()]).toEqual([
    404,
    expect.stringContaining("ask the organiser for a new one"),
  ]);
  const code = await browser.get(`/join/${"0".repeat(32)}`);
  expect(code.headers.get("location")).toBe(`/sign-in?next=%2Fjoin%2F${"0".repeat(32)}`);
  const signIn = await (await browser.get(code.headers.get("location") ?? "")).text();
  expect(signIn).toContain("ask the organiser");
  expect(signIn).not.toContain("kernelbot admin");
});

const MAILER: Mailer = { domains: [], send: () => Promise.resolve(), close: () => undefined };
const ISSUER = readProviders({
  KERNELBOT_OIDC_ISSUER: "https://login.example.edu",
  ...{ KERNELBOT_OIDC_CLIENT_ID: "client", KERNELBOT_OIDC_CLIENT_SECRET: "hush", KERNELBOT_OIDC_NAME: "Example" },
});

test.each<[string, Partial<Site>, RegExp]>([
  ["links only", {}, /ask the organiser of your competition/],
  ["e-mail only", { mailer: MAILER }, /Send sign-in link/],
  ["OpenID Connect only", { providers: ISSUER }, /Sign in with Example/],
])("with %s, a code and a link show what a student can do, and no operator's command", async (_, site, offer) => {
  await using server = await openTestServer({ site });
  const admin = await server.token("root", ["submit", "read", "admin"]);
  const post = async (path: string, body: unknown) =>
    server.ask(`/api/v1${path}`, admin, {
      ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
    });
  const dates = { startsAt: inHours(-1), endsAt: inHours(1) };
  await post("/competitions", {
    name: "spring",
    title: "Spring",
    visibility: "closed",
    problems: ["triple"],
    ...dates,
  });
  const made = await post("/competitions/spring/invite-links", { maxUses: 5, days: 1 });
  const link = ((await made.json()) as { url: string }).url.slice(HERE.length);
  const browser = fakeBrowser(server);
  const code = await browser.get(`/join/${"0".repeat(32)}`);
  const signIn = await (await browser.get(code.headers.get("location") ?? "")).text();
  const join = await (await browser.get(link)).text();
  expect(signIn).toMatch(offer);
  if (site.mailer !== undefined || site.providers !== undefined) expect(join).toMatch(offer);
  expect(join).toContain("Create account and join");
  for (const text of [signIn, join]) expect(text).not.toMatch(/kernelbot admin|kernelbot-server|KERNELBOT_/);
});

test("the organiser's page creates a link, lists who joined, creates a participant's sign-in link, and revokes", async () => {
  const organiser = fakeBrowser(testServer);
  const root = await testServer.token("root", ["admin"]);
  const signIn = await send("/admin/sign-in-links", { name: "olga" }, root);
  const { searchParams } = new URL(((await signIn.json()) as { url: string }).url);
  await organiser.post("/sign-in/link", { token: searchParams.get("token") ?? "" });
  const at = "/admin/competitions/spring";
  const made = await (await organiser.post(`${at}/invite-links`, { maxUses: "2", days: "3" })).text();
  const [, link = ""] = /http:\/\/localhost(\/join\/[\w-]{43})</.exec(made) ?? [];
  const student = fakeBrowser(testServer);
  expect((await student.post(link, { name: "Student" })).status).toBe(303);
  const listed = await (await organiser.get(`${at}/invites`)).text();
  expect(listed).toContain(">Student</a>");
  expect(listed).not.toContain(link);
  const helped = await (await organiser.post(`${at}/invite-links/sign-in`, { name: "Student" })).text();
  expect(helped).toMatch(/signs in to Student<\/strong>[^]*\/sign-in\/link\?token=[\w-]{43}/);
  expect((await organiser.post(`${at}/invite-links/sign-in`, { name: "root" })).status).toBe(403);
  expect((await organiser.post(`${at}/invite-links/2/revoke`)).status).toBe(303);
  expect((await student.get(link)).status).toBe(409);
});
