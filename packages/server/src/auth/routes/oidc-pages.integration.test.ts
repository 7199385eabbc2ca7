/** Signing in with an OpenID Connect issuer, and attacks on it. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeBrowser, HERE, type FakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { startFakeIssuer, type FakeIssuer } from "@kernelbot/testing/fake-issuer.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { readProviders } from "../providers.ts";

let issuer: FakeIssuer;
let testServer: TestServer;
let number = 0;
beforeAll(async () => {
  issuer = await startFakeIssuer();
  testServer = await openTestServer({ site: { providers: readProviders(issuer.env) } });
});
afterAll(async () => {
  await testServer[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});
beforeEach(() => {
  number += 1;
  Object.assign(issuer, { algorithm: "RS256", forged: false, thin: false, refusal: undefined, down: false, wrong: {} });
  issuer.user = { sub: `subject-${number}`, name: `Ada ${number}`, preferred_username: "ada@example.edu" };
});

/** Begins on the site and agrees at the issuer. Returns the path and query to which the issuer redirects. */
async function agreed(browser: FakeBrowser, start = "/sign-in/oidc"): Promise<string> {
  const begun = await browser.post(start, { next: "/queue" });
  expect([begun.status, await begun.text()]).toEqual([200, expect.stringContaining("Continue to Example University")]);
  const url = begun.headers.get("refresh")?.slice("0; url=".length) ?? "";
  const back = await fetch(url, { method: "POST", redirect: "manual" });
  const { pathname, search } = new URL(back.headers.get("location") ?? "");
  return pathname + search;
}

async function nameOf(browser: FakeBrowser): Promise<string | undefined> {
  const response = await browser.get("/api/v1/account");
  return response.ok ? ((await response.json()) as { name: string }).name : undefined;
}

test("asks with PKCE, state and nonce, and signs in to an account of issuer and subject", async () => {
  const browser = fakeBrowser(testServer);
  expect(await (await browser.get("/sign-in")).text()).toContain("Sign in with Example University");
  const response = await browser.get(await agreed(browser));
  expect([response.status, response.headers.get("location")]).toEqual([303, "/queue"]);
  expect(await nameOf(browser)).toBe(`Ada ${number}`);
  const parameters = Object.fromEntries(issuer.requests.at(-1) ?? []);
  expect(parameters).toMatchObject({
    ...{ response_type: "code", client_id: "client", scope: "openid profile", code_challenge_method: "S256" },
    redirect_uri: `${HERE}/sign-in/oidc/callback`,
  });
  expect(parameters.nonce).toMatch(/^[\w-]{43}$/);
  expect(parameters.nonce).not.toBe(parameters.state);
  expect(
    await testServer.database.sql`select subject, label from linked_identity where provider = 'oidc'`,
  ).toContainEqual({
    subject: `${issuer.url} subject-${number}`,
    label: `Ada ${number}`,
  });
});

test("accepts tokens that are signed with ES256", async () => {
  issuer.algorithm = "ES256";
  const browser = fakeBrowser(testServer);
  expect((await browser.get(await agreed(browser))).status).toBe(303);
});

test("the name comes from the user-info endpoint where the token has none, and is never an e-mail address", async () => {
  issuer.thin = true;
  const thin = fakeBrowser(testServer);
  await thin.get(await agreed(thin));
  expect(await nameOf(thin)).toBe(`Ada ${number}`);
  issuer.user = { sub: `mail-${number}`, name: "ada@example.edu", preferred_username: "ada@example.edu" };
  const mail = fakeBrowser(testServer);
  await mail.get(await agreed(mail));
  expect(await nameOf(mail)).toMatch(/^participant/);
});

test.each<[what: string, change: () => Partial<FakeIssuer>, reason: RegExp]>([
  ["another nonce", () => ({ wrong: { nonce: "another" } }), /unexpected ID Token .{1,2}nonce/],
  ["no nonce", () => ({ wrong: { nonce: undefined } }), /nonce.{1,10}claim missing/],
  ["another audience", () => ({ wrong: { aud: "other-client" } }), /aud.{1,4}\(audience\)/],
  ["another issuer", () => ({ wrong: { iss: "https://evil.example" } }), /iss.{1,4}\(issuer\)/],
  ["a time that has passed", () => ({ wrong: { exp: Math.floor(Date.now() / 1000) - 120 } }), /expiration is past/],
  ["no subject", () => ({ wrong: { sub: undefined } }), /sub.{1,4}\(subject\) claim missing/],
  ["no signature", () => ({ algorithm: "none" }), /unsupported JWS .{1,2}alg/],
  ["a signature with another key", () => ({ forged: true }), /signature verification failed/],
  [
    "a signature with another elliptic key",
    () => ({ forged: true, algorithm: "ES256" }),
    /signature verification failed/,
  ],
])("rejects an ID token with %s, logs why, and logs no token", async (_, change, reason) => {
  Object.assign(issuer, change());
  const browser = fakeBrowser(testServer);
  const response = await browser.get(await agreed(browser));
  expect([response.status, await response.text()]).toEqual([
    503,
    expect.stringContaining("Example University did not identify you (its response is missing or invalid)"),
  ]);
  expect(await nameOf(browser)).toBeUndefined();
  const log = testServer.logged.filter((line) => line.includes('"msg":"unavailable"')).at(-1) ?? "";
  expect(log).toContain(`${issuer.url}: `);
  expect(log).toMatch(reason);
  expect(log).not.toMatch(/eyJ|subject-|the client's secret/);
});

test("a state works once, and only in the browser that started", async () => {
  const browser = fakeBrowser(testServer);
  const callback = await agreed(browser);
  expect((await fakeBrowser(testServer).get(callback)).status).toBe(400);
  const cookies = new Map(browser.cookies);
  expect((await browser.get(callback)).status).toBe(303);
  cookies.forEach((value, name) => browser.cookies.set(name, value));
  const again = await browser.get(callback);
  expect([again.status, await again.text()]).toEqual([400, expect.stringContaining("was already used")]);
});

test("the redirect of another issuer is rejected (RFC 9207)", async () => {
  const browser = fakeBrowser(testServer);
  const mixed = `${await agreed(browser)}&iss=https://evil.example`;
  expect((await browser.get(mixed)).status).toBe(503);
});

test("reports errors of the issuer", async () => {
  const browser = fakeBrowser(testServer);
  const denied = await browser.get("/sign-in/oidc/callback?error=access_denied&state=x");
  expect([denied.status, await denied.text()]).toEqual([
    403,
    expect.stringContaining("You denied access at Example University"),
  ]);
  issuer.refusal = { error: "unauthorized_client", error_description: "<script>" };
  const refused = await browser.get(await agreed(browser));
  expect([refused.status, await refused.text()]).toEqual([
    503,
    expect.stringContaining("Example University did not identify you (unauthorized_client)"),
  ]);
});

test("an account links and unlinks the identity", async () => {
  const browser = fakeBrowser(testServer);
  await browser.get(await agreed(browser));
  const first = `${issuer.url} ${String(issuer.user.sub)}`;
  issuer.user = { sub: `second-${number}`, name: "x".repeat(300) };
  expect((await browser.get(await agreed(browser, "/account/link/oidc"))).headers.get("location")).toBe("/account");
  expect(await (await browser.get("/account")).text()).toContain("Example University <strong>");
  expect((await browser.post("/account/unlink", { provider: "oidc", subject: first })).status).toBe(303);
});

test("an issuer that is not reachable is reported by the button, which works once it is", async () => {
  await using other = await startFakeIssuer(["client_secret_basic"]);
  await using server = await openTestServer({ site: { providers: readProviders(other.env) } });
  other.down = true;
  const browser = fakeBrowser(server);
  const failed = await browser.post("/sign-in/oidc");
  expect([failed.status, await failed.text()]).toEqual([
    503,
    expect.stringContaining("sign-in with Example University is not available"),
  ]);
  other.down = false;
  expect((await browser.get(await agreed(browser))).status).toBe(303);
  expect(other.tokenRequests.at(-1)?.authorization).toMatch(/^Basic /);
});

test("an issuer that describes another one is refused", async () => {
  const env = { ...issuer.env, KERNELBOT_OIDC_ISSUER: issuer.url.replace("127.0.0.1", "localhost") };
  await using server = await openTestServer({ site: { providers: readProviders(env) } });
  expect((await fakeBrowser(server).post("/sign-in/oidc")).status).toBe(503);
});
