/** Learning platforms on the administrator's page, and their registration by themselves. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeBrowser, type FakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { startFakePlatform, type FakePlatform } from "../testing/fake-platform.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { beginSession } from "@kernelbot/server/src/auth/sessions.ts";
import { authenticate } from "@kernelbot/server/src/auth/tokens.ts";
import { createRegistration, registerAtPlatform } from "../registration.ts";
import { listPlatforms } from "../platforms.ts";
import { ltiAddresses } from "./addresses.ts";

const PAGE = "/admin/learning-platforms";
const TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration";
let platform: FakePlatform;
let testServer: TestServer;
let root: Identity;
let administrator: FakeBrowser;

beforeAll(async () => {
  platform = await startFakePlatform();
});
afterAll(() => platform[Symbol.asyncDispose]());
beforeEach(async () => {
  Object.assign(platform, { wrong: {}, failing: 0, registered: [] });
  testServer = await openTestServer({ privateWebhooks: true });
  const { database } = testServer;
  root = await authenticate(database, await testServer.token("root", ["read", "admin"]));
  administrator = fakeBrowser(testServer);
  const at = { address: "192.0.2.1", userAgent: "Browser/1" };
  const session = await database.db.transaction().execute((open) => beginSession(open, root.account.id, at));
  administrator.cookies.set("kernelbot_session", session);
  return () => testServer[Symbol.asyncDispose]();
});

const all = () => listPlatforms(testServer.database, root);

/** Creates a registration link on the page. Returns its path. */
async function createLink(address = `${platform.url}/somewhere`): Promise<string> {
  const made = await administrator.post(`${PAGE}/registration`, { name: "Moodle of the test", address });
  const [, path = ""] = /http:\/\/localhost(\/lti\/register\?token=[\w-]{43})</.exec(await made.text()) ?? [];
  expect(path).not.toBe("");
  return path;
}

/** Opens a registration link as the platform does. Returns the status and the text of the response. */
async function opened(path: string, configuration = `${platform.url}/openid-configuration`, token = "registration") {
  const added = new URLSearchParams({ openid_configuration: configuration, registration_token: token });
  const response = await fakeBrowser(testServer).get(`${path}&${added.toString()}`);
  return { response, status: response.status, text: await response.text() };
}

test("an administrator adds, changes and removes a platform on the page, which shows the addresses of this server", async () => {
  const empty = await (await administrator.get(PAGE)).text();
  expect(empty).toMatch(/No learning platform is registered[^]*\/lti\/launch<[^]*\/lti\/login<[^]*\/lti\/jwks</);
  const { name, issuer, clientId, ...urls } = platform.registration;
  const fields = { name, issuer, clientId, ...urls, deployments: " 1, 2,," };
  const refused = await administrator.post(PAGE, { ...fields, tokenUrl: "http://moodle.example.edu/token" });
  const shown = await refused.text();
  expect([refused.status, shown]).toEqual([422, expect.stringContaining("must begin with https://")]);
  expect(shown).toContain('value="http://moodle.example.edu/token"');
  const added = await administrator.post(PAGE, fields);
  expect(added.headers.get("location")).toBe(`${PAGE}?done=saved`);
  expect(await all()).toMatchObject([{ name: "Moodle", deployments: ["1", "2"] }]);
  const [{ id } = { id: 0 }] = await all();
  expect(await (await administrator.get(`${PAGE}?change=${id}`)).text()).toContain('value="1, 2"');
  await administrator.post(PAGE, { ...fields, name: "Moodle 2", deployments: "2" });
  expect(await all()).toMatchObject([{ id, name: "Moodle 2", deployments: ["2"] }]);
  const removed = await administrator.post(`${PAGE}/remove`, { id: String(id) });
  expect(removed.headers.get("location")).toBe(`${PAGE}?done=removed`);
  expect(await all()).toEqual([]);
});

test("a platform that opens a registration link registers this server and itself, once", async () => {
  const link = await createLink();
  const { status, text, response } = await opened(link);
  expect([status, text]).toEqual([200, expect.stringContaining("Moodle of the test")]);
  expect(response.headers.get("content-security-policy")).toContain("frame-ancestors http: https:");
  const { name: _, ...registration } = platform.registration;
  expect(await all()).toMatchObject([{ name: "Moodle of the test", ...registration }]);
  const { launchUrl, loginUrl, jwksUrl } = ltiAddresses("http://localhost");
  expect(platform.registered).toMatchObject([
    {
      ...{ initiate_login_uri: loginUrl, redirect_uris: [launchUrl], jwks_uri: jwksUrl, application_type: "web" },
      ...{
        token_endpoint_auth_method: "private_key_jwt",
        scope: expect.stringContaining("lti-ags/scope/score") as string,
      },
      [TOOL]: { domain: "localhost", target_link_uri: launchUrl },
    },
  ]);
  expect(await opened(link)).toMatchObject({ status: 404, text: expect.stringContaining("already used") as string });
  const second = await opened(await createLink());
  expect(second).toMatchObject({ status: 409, text: expect.stringContaining("is registered already") as string });
});

test("a platform without a deployment ID gets one from the administrator before it can be used", async () => {
  platform.wrong = { [TOOL]: {} };
  expect((await opened(await createLink())).text).toContain("sent no deployment ID");
  expect(await all()).toMatchObject([{ deployments: [] }]);
  expect(await (await administrator.get(PAGE)).text()).toContain("enter its deployment ID");
});

test("a registration link works only for the host that the administrator named", async () => {
  const link = await createLink("https://moodle.example.edu");
  const { status, text } = await opened(link);
  expect([status, text]).toEqual([403, expect.stringContaining("is for the platform at moodle.example.edu")]);
  expect(platform.registered).toEqual([]);
});

test.each([
  ["of another host", "https://moodle.example.edu"],
  ["of another platform on the same host", "/other"],
])("a platform cannot register as the issuer %s, whose users it could then sign in", async (_, issuer) => {
  platform.wrong = { issuer: new URL(issuer, platform.url).href };
  const { status, text } = await opened(await createLink());
  expect([status, text]).toEqual([422, expect.stringContaining("only an address below an issuer may configure it")]);
  expect([await all(), platform.registered]).toEqual([[], []]);
});

test.each<[what: string, change: Partial<FakePlatform>, message: RegExp, token?: string]>([
  ["an incomplete configuration", { wrong: { jwks_uri: undefined } }, /configuration lacks a valid jwks_uri/],
  ["a refused token", {}, /did not register this server: [^]*responded with 401[^]*token/, "other"],
  ["a response without a client", { wrong: { client_id: undefined } }, /response lacks a valid client_id/],
  ["a platform that is down", { failing: 503 }, /did not register this server: [^]*503/],
])("%s is reported, and the link remains usable", async (_, change, message, token = "registration") => {
  const link = await createLink();
  Object.assign(platform, change);
  const failed = await opened(link, undefined, token);
  expect([failed.status, failed.text]).toEqual([422, expect.stringMatching(message)]);
  expect(await all()).toEqual([]);
  Object.assign(platform, { wrong: {}, failing: 0 });
  expect((await opened(link)).status).toBe(200);
});

test("a registration link makes this server send nothing to a private network", async () => {
  const { database } = testServer;
  const { secret } = await createRegistration(database, root, { name: "Moodle", address: platform.url });
  const call = { secret, configurationUrl: `${platform.url}/openid-configuration`, token: "registration" };
  const tool = { name: "KernelBot", addresses: ltiAddresses("https://kernels.example.org") };
  await expect(registerAtPlatform(database, call, tool, { allowPrivate: false })).rejects.toThrow(/use https/);
  const { secret: other } = await createRegistration(database, root, { name: "Moodle", address: "https://127.0.0.1" });
  const metadata = { secret: other, configurationUrl: "https://127.0.0.1/x", token: undefined };
  await expect(registerAtPlatform(database, metadata, tool, { allowPrivate: false })).rejects.toThrow(
    /"127.0.0.1" is not a public address/,
  );
});
