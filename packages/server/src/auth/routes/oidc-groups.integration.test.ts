/** Roles and sign-in by groups of an OpenID Connect issuer, whose tokens are signed as by Keycloak and Entra. */
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeBrowser, type FakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { startFakeIssuer, type FakeIssuer } from "@kernelbot/testing/fake-issuer.ts";
import { person } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { changeRoles } from "../accounts.ts";
import { applyGroupRules, expireGroups } from "../groups.ts";
import type { Identity } from "../identity.ts";
import { readProviders } from "../providers.ts";
import { runTransaction } from "../../db/transaction.ts";

const TEAM = "/kernel team #1, GPUs";
const ADMINS = "0760b6cf-170e-4a14-91b3-4b78e0739963";

let issuer: FakeIssuer;
let testServer: TestServer;
let root: Identity;
let number = 0;
beforeAll(async () => {
  issuer = await startFakeIssuer();
  const env = {
    KERNELBOT_OIDC_ORGANISER_GROUPS: `${TEAM}; /other`,
    KERNELBOT_OIDC_ADMINISTRATOR_GROUPS: ADMINS,
    KERNELBOT_OIDC_MAX_HOURS: "8",
  };
  testServer = await openTestServer({ site: { providers: readProviders({ ...issuer.env, ...env }) } });
  root = await person(testServer.database, "root", ["submit", "read", "account", "admin"]);
});
afterAll(async () => {
  await testServer[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});
beforeEach(() => {
  number += 1;
  issuer.thin = false;
});

/** Signs in with these claims, in a new browser. Returns the browser, and the response of the callback. */
async function signIn(claims: Record<string, unknown>, server = testServer, start = "/sign-in/oidc") {
  issuer.user = { sub: `s${number}`, name: `Ada ${number}`, ...claims };
  const browser = fakeBrowser(server);
  return { browser, response: await finish(browser, start) };
}

async function finish(browser: FakeBrowser, start: string): Promise<Response> {
  const begun = await browser.post(start, { next: "/" });
  const url = begun.headers.get("refresh")?.slice("0; url=".length) ?? "";
  const back = await fetch(url, { method: "POST", redirect: "manual" });
  const { pathname, search } = new URL(back.headers.get("location") ?? "");
  return browser.get(pathname + search);
}

async function rolesOf({ browser }: { browser: FakeBrowser }): Promise<unknown> {
  return ((await (await browser.get("/api/v1/account")).json()) as { roles: unknown }).roles;
}

async function changes(): Promise<unknown[]> {
  const rows = await testServer.database.sql<{ detail: Record<string, unknown> }>`
    select detail from audit where act = 'groups' and detail ->> 'name' = ${`Ada ${number}`} order by id`;
  return rows.map(({ detail: { cause, roles } }) => [cause, roles]);
}

test("a role comes and goes with its group, and a role that an administrator assigned stays", async () => {
  const first = await signIn({ groups: [TEAM, "/unknown"] });
  expect([first.response.status, await rolesOf(first)]).toEqual([303, ["organiser"]]);
  await changeRoles(testServer.database, root, `Ada ${number}`, { add: ["moderator"], remove: [] });
  expect(await rolesOf(await signIn({ groups: [ADMINS] }))).toEqual(["administrator", "moderator"]);
  // Sessions from earlier have the roles of the last sign-in.
  expect(await rolesOf(first)).toEqual(["administrator", "moderator"]);
  expect(await rolesOf(await signIn({ groups: [] }))).toEqual(["moderator"]);
  await signIn({ groups: [] });
  expect(await changes()).toEqual([
    ["sign-in", { add: ["organiser"], remove: [] }],
    ["sign-in", { add: ["administrator"], remove: ["organiser"] }],
    ["sign-in", { add: [], remove: ["administrator"] }],
  ]);
});

test("issuers list groups in the token or only with the profile, one as a text, and omit an empty list", async () => {
  issuer.thin = true;
  expect(await rolesOf(await signIn({ groups: [TEAM] }))).toEqual(["organiser"]);
  issuer.thin = false;
  expect(await rolesOf(await signIn({ groups: ADMINS }))).toEqual(["administrator"]);
  expect(await rolesOf(await signIn({}))).toEqual([]);
});

test.each<[what: string, claims: Record<string, unknown>, why: RegExp]>([
  ["too many groups of Entra", { _claim_names: { groups: "src1" }, _claim_sources: { src1: {} } }, /more groups than/],
  ["too many groups in an implicit flow", { hasgroups: true }, /more groups than/],
  ["a list of another type", { groups: [{ id: 1 }] }, /not a list of texts/],
  ["more groups than are read", { groups: Array.from({ length: 1001 }, (_, n) => `g${n}`) }, /lists 1001 groups/],
])("%s refuse the sign-in, with a reason in the log, and keep the roles", async (_, claims, why) => {
  const before = await signIn({ groups: [TEAM] });
  const { response } = await signIn(claims);
  expect([response.status, await response.text()]).toEqual([
    503,
    expect.stringContaining("Example University did not list your groups completely"),
  ]);
  expect(testServer.logged.filter((line) => line.includes('"msg":"unavailable"')).at(-1)).toMatch(why);
  expect(await rolesOf(before)).toEqual(["organiser"]);
});

test("hostile names of groups give nothing and are shown as text", async () => {
  const names = [
    "<script>alert(1)</script>",
    "\u0000",
    "a\u202eb",
    "x".repeat(256),
    "",
    `${TEAM}\n`,
    TEAM.toUpperCase(),
  ];
  const { browser } = await signIn({ groups: names });
  expect(await rolesOf({ browser })).toEqual([]);
  const page = await (await browser.get("/account")).text();
  expect(page).toContain("groups: /KERNEL TEAM #1, GPUS, &lt;script&gt;alert(1)&lt;/script&gt;<");
});

test("an administrator by group is not the last one, and their role is removed at the issuer only", async () => {
  await signIn({ groups: [ADMINS] });
  const change = (name: string, remove: "administrator") =>
    changeRoles(testServer.database, root, name, { add: [], remove: [remove] });
  await expect(change("root", "administrator")).rejects.toThrow("root is the last administrator");
  await expect(change(`Ada ${number}`, "administrator")).rejects.toThrow("by a group of the sign-in provider");
});

test("without a sign-in for the maximum age, session and groups end", async () => {
  const { browser } = await signIn({ groups: [TEAM] });
  const [session] = await testServer.database.sql<{ hours: number }>`
    select extract(epoch from max(ends_at) - now()) / 3600 as hours from session where ends_at < now() + interval '1 day'`;
  expect(Number(session?.hours)).toBeCloseTo(8, 1);
  await expireGroups(testServer.database, 8);
  expect(await rolesOf({ browser })).toEqual(["organiser"]);
  await testServer.database.sql`update linked_identity set last_used_at = now() - interval '9 hours'
    where subject = ${`${issuer.url} s${number}`}`;
  await expireGroups(testServer.database, 8);
  expect(await rolesOf({ browser })).toEqual([]);
  expect(await changes()).toContainEqual(["expiry", { add: [], remove: ["organiser"] }]);
});

test("a sign-in during the expiry of groups keeps its own", async () => {
  const { browser } = await signIn({ groups: [TEAM] });
  const { database } = testServer;
  const subject = `${issuer.url} s${number}`;
  await database.sql`update linked_identity set last_used_at = now() - interval '9 hours' where subject = ${subject}`;
  const expiry = await runTransaction(database.db, async (transaction) => {
    await sql`select from account where name = ${`Ada ${number}`} for no key update`.execute(transaction);
    // In an object, so that the transaction does not wait for it.
    const begun = { ended: expireGroups(database, 8) };
    await expect
      .poll(
        () =>
          database.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      .not.toEqual([]);
    await sql`update linked_identity set last_used_at = now() where subject = ${subject}`.execute(transaction);
    return begun;
  });
  await expiry.ended;
  expect(await rolesOf({ browser })).toEqual(["organiser"]);
});

test("an unlinked identity takes its roles with it", async () => {
  const { browser } = await signIn({ groups: [ADMINS] });
  issuer.user = { sub: `other-${number}`, name: "Other", groups: [TEAM] };
  await finish(browser, "/account/link/oidc");
  expect(await rolesOf({ browser })).toEqual(["administrator", "organiser"]);
  await browser.post("/account/unlink", { provider: "oidc", subject: `${issuer.url} s${number}` });
  expect(await rolesOf({ browser })).toEqual(["organiser"]);
});

test("changed settings apply at the start of the server to groups of earlier sign-ins", async () => {
  const { browser } = await signIn({ groups: [TEAM] });
  const rules = { claim: "groups", roles: { organiser: [], moderator: [TEAM], administrator: [] }, required: [] };
  await applyGroupRules(testServer.database, rules);
  expect(await rolesOf({ browser })).toEqual(["moderator"]);
  await applyGroupRules(testServer.database, null);
  expect(await rolesOf({ browser })).toEqual([]);
});

test("with required groups, others cannot sign in or link, and lose what they had", async () => {
  const env = { KERNELBOT_OIDC_REQUIRED_GROUPS: "/staff; /guests", KERNELBOT_OIDC_ORGANISER_GROUPS: "/staff" };
  await using server = await openTestServer({ site: { providers: readProviders({ ...issuer.env, ...env }) } });
  const { browser, response } = await signIn({ groups: ["/staff"] }, server);
  expect([response.status, await rolesOf({ browser })]).toEqual([303, ["organiser"]]);
  const refused = await signIn({ groups: ["/staff/former"] }, server);
  expect([refused.response.status, await refused.response.text()]).toEqual([
    403,
    expect.stringContaining("you have none of the groups that may sign in here"),
  ]);
  expect((await refused.browser.get("/api/v1/account")).status).toBe(401);
  expect(await rolesOf({ browser })).toEqual([]);
  issuer.user = { sub: `stranger-${number}`, name: "Eve", groups: [] };
  expect((await finish(browser, "/account/link/oidc")).status).toBe(403);
  expect(await server.database.sql`select name from account where name = 'Eve'`).toEqual([]);
});

test("names of groups in the settings are checked", () => {
  const read = (env: Record<string, string>) => () => readProviders({ ...issuer.env, ...env });
  expect(read({ KERNELBOT_OIDC_REQUIRED_GROUPS: "a\u0007b" })).toThrow(
    'KERNELBOT_OIDC_REQUIRED_GROUPS: "a\\u0007b": use printable characters',
  );
  expect(read({ KERNELBOT_OIDC_MAX_HOURS: "0" })).toThrow("KERNELBOT_OIDC_MAX_HOURS: use a whole number of hours");
});
