/** Account commands of the CLI against the real API, with a browser that confirms. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "@kernelbot/api";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { beginSession } from "../../auth/sessions.ts";
import { fakeBrowser, type FakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let ann: string;
let root: string;

beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
  ann = await testServer.token("ann", ["submit", "read", "account"]);
  root = await testServer.token("root", ["submit", "read", "account", "admin"]);
});
afterAll(() => testServer[Symbol.asyncDispose]());

/** Returns a browser in which the account is signed in. */
async function browserOf(name: string): Promise<FakeBrowser> {
  const { id } = await testServer.database.db
    .selectFrom("account")
    .select("id")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  const browser = fakeBrowser(testServer);
  const secret = await testServer.database.db
    .transaction()
    .execute((transaction) => beginSession(transaction, id, { address: "192.0.2.1", userAgent: "Browser/1" }));
  browser.cookies.set("kernelbot_session", secret);
  return browser;
}

/** Runs the command with a token in its environment. */
async function kernelbot(args: string[], token: string) {
  using place = workshop();
  return await place.kernelbot(args, { env: { KERNELBOT_SERVER: testServer.url, KERNELBOT_TOKEN: token } });
}

test("login shows a code, the user confirms it in a browser, and the terminal is signed in until logout", async () => {
  using place = workshop();
  const env = { KERNELBOT_SERVER: testServer.url };
  const browser = await browserOf("ann");
  const pages: string[] = [];
  async function confirm(code: string): Promise<void> {
    const confirmation = await browser.post("/device", { code: code.toLowerCase() });
    pages.push(await confirmation.text());
    const decided = await browser.post("/device/decide", { code, decision: "allow" });
    pages.push(await decided.text());
  }
  let confirmed: Promise<void> | undefined;
  const login = await place.kernelbot(["login"], {
    env,
    onOutput: (text) => {
      const code = /enter the code (\S+)/.exec(text)?.[1];
      if (code !== undefined) confirmed = confirm(code);
    },
  });
  await confirmed;
  expect(login).toMatchObject({ code: 0, err: "" });
  expect(login.out).toContain(`Open ${testServer.url}/device in a browser`);
  expect(login.out).toContain("Signed in as ann.");
  expect(pages[0]).toContain("manage your account and make tokens");
  expect(pages[0]).toMatch(/from address <strong>(::ffff:)?127\.0\.0\.1</);
  expect(pages[1]).toContain("The terminal is signed in");

  const config = join(place.folder, ".config/kernelbot/config.toml");
  expect(statSync(config).mode & 0o777).toBe(0o600);
  const token = /token = "(.+)"/.exec(readFileSync(config, "utf8"))?.[1] ?? "";
  expect(testServer.logged.join("")).not.toContain(token);
  expect((await place.kernelbot(["whoami"], { env })).out).toBe(
    `ann at ${testServer.url}\nToken scopes: submit, read and account\n`,
  );
  expect((await place.kernelbot(["logout"], { env })).out).toBe(`Signed out of ${testServer.url}\n`);
  expect(readFileSync(config, "utf8")).not.toContain("token");
  expect((await testServer.ask("/api/v1/account", token)).status).toBe(401);
});

test("creates, lists and revokes tokens from the terminal", async () => {
  const made = await kernelbot(["tokens", "create", "nightly", "--scopes", "read", "--days", "7"], ann);
  expect(made.out).toMatch(/^kb_[\w-]{43}\n$/);
  const token = made.out.trim();
  expect((await kernelbot(["list"], token)).code).toBe(0);
  const refused = await kernelbot(["tokens", "create", "more"], token);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.err.replace(/\s+/g, " ")).toContain("it lacks the scope account");
  const { out } = await kernelbot(["tokens"], ann);
  const [, id = ""] = /^ *(\d+) +nightly +read/m.exec(out) ?? [];
  expect(out).not.toContain(token.slice(3));
  expect((await kernelbot(["tokens", "revoke", id], ann)).out).toBe(`Token ${id} is revoked.\n`);
  expect((await kernelbot(["whoami"], token)).err).toContain("this token was revoked");
});

test("an administrator creates sign-in links, sets roles and weights, lists accounts and reads the log", async () => {
  const link = await kernelbot(["admin", "sign-in-link", "Zoë", "--new"], root);
  expect(link.out).toMatch(new RegExp(`^${testServer.url}/sign-in/link\\?token=[\\w-]{43}\n$`));
  expect((await kernelbot(["admin", "roles", "zoë", "+moderator", "-organiser"], root)).out).toBe("zoë is moderator\n");
  const last = await kernelbot(["admin", "roles", "root", "-administrator"], root);
  expect(last).toMatchObject({ code: 2, err: expect.stringContaining("root is the last administrator") as string });
  expect((await kernelbot(["admin", "weight", "zoë", "2.5"], root)).out).toBe("Zoë has weight 2.5\n");
  expect((await kernelbot(["admin", "accounts"], root)).out).toMatch(/^Zoë +moderator/m);
  const log = await kernelbot(["admin", "audit"], root);
  expect(log.out).toMatch(/root +roles +account \S+ +\{.*"add":\["moderator"\]/);
  expect(log.out).toMatch(/root +sign-in-link +account/);
  expect(log.out).toMatch(/root +weight +account \S+ +\{.*"weight":2.5/);
});

test("administrator actions reject anonymous callers, participants, moderators and tokens without the scope (S11)", async () => {
  await testServer.token("mod", ["submit"], [], ["moderator"]);
  const tokens = [
    undefined,
    "None",
    ann,
    await testServer.token("mod", ["submit", "read", "account", "admin"]),
    await testServer.token("root", ["submit", "read", "account"]),
  ];
  for (const token of tokens) {
    for (const path of ["accounts", "audit"]) {
      expect([401, 403]).toContain((await testServer.ask(`/api/v1/admin/${path}`, token)).status);
    }
    for (const path of ["accounts/ann/roles", "sign-in-links"]) {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"ann"}' };
      expect([401, 403]).toContain((await testServer.ask(`/api/v1/admin/${path}`, token, init)).status);
    }
  }
});

test("the account page creates a token and shows it once", async () => {
  const browser = await browserOf("ann");
  const fields = new URLSearchParams([
    ["label", "from the page <b>"],
    ["scope", "submit"],
    ["scope", "read"],
    ["days", "30"],
  ]);
  const made = await browser.post("/account/tokens", fields);
  expect(made.headers.get("cache-control")).toMatch(/^no-store/);
  const token = /kb_[\w-]{43}/.exec(await made.text())?.[0] ?? "";
  expect(await createClient({ server: testServer.url, token }).account()).toMatchObject({ scopes: ["submit", "read"] });
  const page = await (await browser.get("/account")).text();
  expect(page).toContain("from the page &lt;b&gt;");
  expect(page).not.toContain(token);
  fields.append("scope", "admin");
  expect((await browser.post("/account/tokens", fields)).status).toBe(403);
});

test("renames the account, ends another session, and reports errors", async () => {
  const [here, there] = [await browserOf("ann"), await browserOf("ann")];
  const page = await (await here.get("/account")).text();
  const ids = Array.from(page.matchAll(/\/account\/sessions\/(\d+)\/end/g), ([, id]) => id ?? "");
  for (const id of ids) expect((await here.post(`/account/sessions/${id}/end`)).status).toBe(303);
  expect((await there.get("/account")).status).toBe(303);
  const taken = await here.post("/account/name", { name: "ROOT" });
  expect(taken.status).toBe(422);
  expect(await taken.text()).toContain("the name &quot;ROOT&quot; is reserved");
  expect((await here.post("/account/name", { name: "Ann" })).status).toBe(303);
  expect(await (await here.get("/")).text()).toContain(">Ann</a>");
});

test("an unknown device code is reported on the page, which requires a session", async () => {
  const browser = await browserOf("root");
  const wrong = await browser.post("/device", { code: "bcdf ghjk" });
  expect(wrong.status).toBe(404);
  expect(await wrong.text()).toContain("no device is waiting for the code &quot;bcdf ghjk&quot;");
  expect((await fakeBrowser(testServer).get("/device")).headers.get("location")).toBe("/sign-in?next=%2Fdevice");
});

test("a client of RFC 8628 gets standard responses", async () => {
  const form = (path: string, fields: Record<string, string>) =>
    testServer.ask(`/api/v1/device/${path}`, undefined, { method: "POST", body: new URLSearchParams(fields) });
  const started = (await (await form("code", { client_id: "any", scope: "read" })).json()) as Record<string, unknown>;
  expect(started).toMatchObject({
    expires_in: 600,
    interval: 5,
    user_code: expect.stringMatching(/^\w{4}-\w{4}$/) as string,
  });
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const poll = { grant_type, device_code: String(started["device_code"]), client_id: "any" };
  const answers = [
    await form("token", poll),
    await form("token", poll),
    await form("token", { ...poll, device_code: "x" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  const errors = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { error: string }).error));
  expect(errors).toEqual(["authorization_pending", "slow_down", "expired_token"]);
  expect((await form("code", { scope: "runner" })).status).toBe(422);
});
