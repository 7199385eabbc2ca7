/** Signing in by a provider and by a link, and attacks on both. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeBrowser, HERE, type FakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { CLIENT_SECRET, startFakeProvider, type FakeProvider } from "@kernelbot/testing/fake-provider.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let github: FakeProvider;
let discord: FakeProvider;
let testServer: TestServer;
let subject = 1;

beforeAll(async () => {
  [github, discord] = await Promise.all([startFakeProvider("github"), startFakeProvider("discord")]);
  testServer = await openTestServer({ site: { providers: [github.provider, discord.provider], proxies: 1 } });
});
afterAll(async () => {
  await testServer[Symbol.asyncDispose]();
  await Promise.all([github[Symbol.asyncDispose](), discord[Symbol.asyncDispose]()]);
});
// Each test uses its own accounts and network address.
let from: Record<string, string>;
beforeEach(() => {
  subject += 1;
  github.user = { id: subject, login: `ada${subject}` };
  discord.user = { id: String(subject), username: `ada${subject}` };
  github.refusal = undefined;
  from = { origin: HERE, "x-forwarded-for": `192.0.2.${subject}` };
});

/**
 * Begins on the site and agrees at the provider. Returns the path and query to which the provider redirects the
 * browser.
 */
async function agreed(browser: FakeBrowser, start = "/sign-in/github", next = "/device"): Promise<string> {
  const begun = await browser.post(start, { next }, from);
  expect(begun.status).toBe(303);
  return agreedAt(begun.headers.get("location") ?? "");
}

async function agreedAt(location: string): Promise<string> {
  const back = await fetch(location, { method: "POST", redirect: "manual" });
  const { pathname, search } = new URL(back.headers.get("location") ?? "");
  return pathname + search;
}

async function signedIn(start?: string): Promise<FakeBrowser> {
  const browser = fakeBrowser(testServer);
  const response = await browser.get(await agreed(browser, start));
  expect(response.status).toBe(303);
  return browser;
}

async function nameOf(browser: FakeBrowser): Promise<string | undefined> {
  const response = await browser.get("/api/v1/account");
  return response.ok ? ((await response.json()) as { name: string }).name : undefined;
}

test("sign-in creates the account, sets an HttpOnly cookie, and returns to the requesting page", async () => {
  const browser = fakeBrowser(testServer);
  const response = await browser.get(await agreed(browser));
  expect(response.headers.get("location")).toBe("/device");
  const [cookie] = response.headers.getSetCookie().filter((line) => line.startsWith("kernelbot_session="));
  expect(cookie).toMatch(/^kernelbot_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/);
  expect(await nameOf(browser)).toBe(`ada${subject}`);
  expect(await (await browser.get("/")).text()).toContain(`<a href="/account" class="account-link">ada${subject}</a>`);
});

test("requests only the identity from the provider, with a PKCE challenge", async () => {
  await signedIn("/sign-in/discord");
  const parameters = discord.requests.at(-1);
  expect(Object.fromEntries(parameters ?? [])).toMatchObject({
    response_type: "code",
    client_id: "client",
    redirect_uri: `${HERE}/sign-in/discord/callback`,
    scope: "identify",
    code_challenge_method: "S256",
  });
});

test("over https the cookies are Secure and have the __Host- prefix", async () => {
  await using secure = await openTestServer({
    site: { publicUrl: "https://kernels.example.org", providers: [github.provider] },
  });
  const browser = fakeBrowser(secure);
  const start = { origin: "https://kernels.example.org" };
  const begun = await browser.post("/sign-in/github", {}, start);
  const response = await browser.get(await agreedAt(begun.headers.get("location") ?? ""));
  for (const cookie of [...begun.headers.getSetCookie(), ...response.headers.getSetCookie()]) {
    expect(cookie).toMatch(/^__Host-kernelbot_\w+=.*; Secure/);
  }
});

test("a state can be used once", async () => {
  const browser = fakeBrowser(testServer);
  const callback = await agreed(browser);
  const cookies = new Map(browser.cookies);
  expect((await browser.get(callback)).status).toBe(303);
  cookies.forEach((value, name) => browser.cookies.set(name, value));
  const again = await browser.get(callback);
  expect(again.status).toBe(400);
  expect(await again.text()).toContain("was already used");
});

test("rejects a callback in another browser than the one that started sign-in (S9)", async () => {
  const mallory = fakeBrowser(testServer);
  const callback = await agreed(mallory);
  const victim = fakeBrowser(testServer);
  expect((await victim.get(callback)).status).toBe(400);
  expect(victim.cookies.size).toBe(0);
  // Also not with a sign-in of its own in progress.
  const own = await agreed(victim);
  const mixed = new URLSearchParams(callback.split("?")[1]);
  expect((await victim.get(`/sign-in/github/callback?${mixed}`)).status).toBe(400);
  // The failed attempt from another browser does not use up the state; the attempt with the victim's own cookie does.
  expect((await mallory.get(callback)).status).toBe(303);
  expect((await victim.get(own)).status).toBe(400);
});

test("rejects a state at another provider, and an expired one", async () => {
  const browser = fakeBrowser(testServer);
  const callback = await agreed(browser);
  expect((await browser.get(callback.replace("github", "discord"))).status).toBe(400);
  const late = await agreed(browser);
  await testServer.database.sql`update oauth_state set expires_at = now()`;
  expect((await browser.get(late)).status).toBe(400);
});

test.each<[what: string, headers: Record<string, string>]>([
  ["another site", { origin: "https://evil.example" }],
  ["a sibling domain", { origin: HERE, "sec-fetch-site": "same-site" }],
  ["another site, by Sec-Fetch-Site", { origin: HERE, "sec-fetch-site": "cross-site" }],
  ["an unknown origin", {}],
  ["a sandboxed frame", { origin: "null" }],
  ["our host by another scheme", { origin: "https://localhost" }],
])("rejects forms from %s", async (_, headers) => {
  const browser = await signedIn();
  for (const path of ["/sign-in/github", "/sign-in/link", "/sign-out", "/account/name", "/account/tokens", "/device"]) {
    expect((await browser.post(path, { name: "x", code: "x", token: "x" }, headers)).status).toBe(403);
  }
  expect((await browser.post("/api/v1/sign-out", {}, headers)).status).toBe(403);
  expect(await nameOf(browser)).toBe(`ada${subject}`);
});

test("the API accepts the cookie from same-origin pages only", async () => {
  const browser = await signedIn();
  expect((await browser.get("/api/v1/account", { "sec-fetch-site": "same-origin" })).status).toBe(200);
  expect((await browser.get("/api/v1/account", { "sec-fetch-site": "none" })).status).toBe(200);
  expect((await browser.get("/api/v1/account", { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await browser.get("/api/v1/account", { origin: "https://evil.example" })).status).toBe(403);
  expect((await browser.post("/api/v1/sign-out")).status).toBe(204);
  expect(await nameOf(browser)).toBeUndefined();
});

test.each([
  "//evil.example",
  "/\\evil.example",
  "https://evil.example",
  "/\t/evil.example",
  "javascript:alert(1)",
  "x",
])("does not redirect to %j after sign-in", async (next) => {
  const browser = fakeBrowser(testServer);
  const response = await browser.get(await agreed(browser, "/sign-in/github", next));
  expect(response.headers.get("location")).toBe("/");
});

test("sign-in returns to the page with the link, including its query", async () => {
  for (const page of ["/", "/queue", "/live?competition=", "/kernelbench/submit?suite=mini"]) {
    const browser = fakeBrowser(testServer);
    const [, link = ""] =
      /<a href="([^"]+)" class="account-link">Sign in</.exec(await (await browser.get(page)).text()) ?? [];
    const signInPage = await (await browser.get(link.replaceAll("&amp;", "&"))).text();
    // The sign-in link of the sign-in page keeps the return path.
    expect(signInPage).toContain(`<a href="${link}" class="account-link">Sign in</a>`);
    const [, next] =
      /action="\/sign-in\/github"[^>]*>\s*<input type="hidden" name="next" value="([^"]*)"/.exec(signInPage) ?? [];
    const response = await browser.get(await agreed(browser, "/sign-in/github", next?.replaceAll("&amp;", "&")));
    expect(response.headers.get("location")).toBe(page);
  }
});

test("signing in again ends the browser's previous session", async () => {
  const browser = await signedIn();
  const before = browser.cookies.get("kernelbot_session");
  await browser.get(await agreed(browser));
  const old = fakeBrowser(testServer);
  old.cookies.set("kernelbot_session", before ?? "");
  expect(await nameOf(old)).toBeUndefined();
  expect(await nameOf(browser)).toBe(`ada${subject}`);
});

test("sign-out requires POST and ends the session permanently", async () => {
  const browser = await signedIn();
  expect((await browser.get("/sign-out")).status).toBe(404);
  const before = new Map(browser.cookies);
  expect((await browser.post("/sign-out")).status).toBe(303);
  before.forEach((value, name) => browser.cookies.set(name, value));
  expect(await nameOf(browser)).toBeUndefined();
  expect((await browser.get("/account")).headers.get("location")).toBe("/sign-in?next=%2Faccount");
});

test("a signed-in browser links a second identity, which then opens the same account", async () => {
  const browser = await signedIn();
  await browser.get(await agreed(browser, "/account/link/discord"));
  const other = await signedIn("/sign-in/discord");
  expect(await nameOf(other)).toBe(await nameOf(browser));
  const unlink = { provider: "github", subject: String(subject) };
  expect((await browser.post("/account/unlink", unlink)).status).toBe(303);
  const last = await browser.post("/account/unlink", { ...unlink, provider: "discord" });
  expect(last.status).toBe(409);
  expect(await last.text()).toContain("this is the only way to sign in to your account");
});

test("linking requires the session that started it", async () => {
  const anonymous = await fakeBrowser(testServer).post("/account/link/github", {}, from);
  expect(anonymous.headers.get("location")).toBe("/sign-in?next=%2F");
  const browser = await signedIn();
  const callback = await agreed(browser, "/account/link/discord");
  await browser.post("/sign-out");
  expect((await browser.get(callback)).status).toBe(403);
});

test("rejects linking an identity of another account with an explanation", async () => {
  await signedIn("/sign-in/discord");
  const browser = await signedIn();
  const response = await browser.get(await agreed(browser, "/account/link/discord"));
  expect(response.status).toBe(409);
  expect(await response.text()).toContain("this Discord account opens another account here");
});

test("reports that nothing changed when access is denied, and escapes the provider's text", async () => {
  const browser = fakeBrowser(testServer);
  const no = await browser.get("/sign-in/github/callback?error=access_denied&state=x");
  expect(no.status).toBe(403);
  expect(await no.text()).toContain("You denied access at GitHub");
  const odd = await browser.get("/sign-in/github/callback?error=%3Cscript%3E&state=x");
  expect(await odd.text()).not.toContain("<script>");
  expect((await browser.get("/sign-in/github/callback")).status).toBe(422);
  expect((await browser.get("/sign-in/google/callback?code=x&state=x")).status).toBe(404);
});

test("logs a provider's refusal without code, state or secret (S10)", async () => {
  const browser = fakeBrowser(testServer);
  github.refusal = { error: "incorrect_client_credentials" };
  const callback = await agreed(browser);
  const response = await browser.get(callback);
  expect(response.status).toBe(503);
  expect(await response.text()).toContain("GitHub did not identify you (incorrect_client_credentials)");
  const log = testServer.logged.join("");
  expect(log).toContain("incorrect_client_credentials");
  const query = new URLSearchParams(callback.split("?")[1]);
  for (const secret of [query.get("code"), query.get("state"), CLIENT_SECRET]) expect(log).not.toContain(secret);
});

test("reports an invalid provider response without quoting it", async () => {
  const browser = fakeBrowser(testServer);
  github.refusal = '{"access_token": gho_secret}';
  const response = await browser.get(await agreed(browser));
  expect(response.status).toBe(503);
  expect(await response.text()).toContain("its response contains no token");
  expect(testServer.logged.join("")).not.toContain("gho_");
});

test("reports an unreachable provider without a stack trace", async () => {
  const away = { ...github.provider, tokenUrl: "http://127.0.0.1:1/token" };
  await using lonely = await openTestServer({ site: { providers: [away] } });
  const browser = fakeBrowser(lonely);
  const begun = await browser.post("/sign-in/github");
  const response = await browser.get(await agreedAt(begun.headers.get("location") ?? ""));
  expect(response.status).toBe(503);
  expect(await response.text()).toContain("GitHub is not responding");
});

test("a network can start 300 sign-ins in ten minutes, and stores none after that (S15)", async () => {
  const browser = fakeBrowser(testServer);
  const before = await testServer.database.sql`select 1 from oauth_state`;
  const headers = { ...from, "x-forwarded-for": "203.0.113.9, 198.51.100.1" };
  const answers = [];
  await testServer.database.sql`insert into throttle (kind, who, count) values ('oauth', '198.51.100.1', 270)`;
  for (let count = 0; count < 35; count += 1) answers.push(await browser.post("/sign-in/github", {}, headers));
  expect(answers.map(({ status }) => status)).toEqual([...Array<number>(30).fill(303), ...Array<number>(5).fill(429)]);
  expect(answers.at(-1)?.headers.get("retry-after")).toBe("600");
  const after = await testServer.database.sql`select 1 from oauth_state`;
  expect(after.length - before.length).toBe(30);
  // A forged X-Forwarded-For entry before the proxy's own does not make a different client.
  const claims = { ...headers, "x-forwarded-for": "203.0.113.10, 198.51.100.1" };
  expect((await browser.post("/sign-in/github", {}, claims)).status).toBe(429);
});

test("viewing a link does not use it; its button signs in once", async () => {
  const root = await testServer.token(`root${subject}`, ["admin"]);
  const made = await testServer.ask("/api/v1/admin/sign-in-links", root, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: `guest${subject}`, create: true }),
  });
  expect(made.status).toBe(201);
  const { url } = (await made.json()) as { url: string };
  const path = url.slice(HERE.length);
  const browser = fakeBrowser(testServer);
  for (let looks = 0; looks < 2; looks += 1) {
    const page = await browser.get(path);
    expect(await page.text()).toContain(`Sign in as guest${subject}`);
  }
  const token = new URL(url).searchParams.get("token") ?? "";
  expect((await browser.post("/sign-in/link", { token })).status).toBe(303);
  expect(await nameOf(browser)).toBe(`guest${subject}`);
  expect((await fakeBrowser(testServer).post("/sign-in/link", { token })).status).toBe(404);
  expect(testServer.logged.join("")).not.toContain(token);
});

test("a banned account can sign in and read why, and nothing else", async () => {
  const browser = await signedIn();
  await testServer.database
    .sql`update account set banned_at = now(), ban_reason = 'sold its kernel' where name = ${`ada${subject}`}`;
  const again = await signedIn();
  expect(await (await again.get("/account")).text()).toContain("This account is banned: sold its kernel.");
  expect((await browser.post("/account/name", { name: "other" })).status).toBe(403);
  expect((await browser.get("/api/v1/submissions")).status).toBe(200);
});
