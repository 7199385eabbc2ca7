/** Commands and pages that export and erase an account, against the real API. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { beforeEach, expect, test } from "vitest";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { fakeBrowser, type FakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { claimed, passing, reported, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { beginSession } from "../../auth/sessions.ts";
import { authenticate } from "../../auth/tokens.ts";
import { deleteOldContents } from "../delete-contents.ts";

let testServer: TestServer;
let ann: string;
let root: string;

beforeEach(async () => {
  testServer = await openTestServer({ listening: true });
  ann = await testServer.token("ann", ["submit", "read", "account"]);
  root = await testServer.token("root", ["submit", "read", "account", "admin"]);
  return () => testServer[Symbol.asyncDispose]();
});

async function kernelbot(args: string[], token: string) {
  using place = workshop();
  return await place.kernelbot(args, { env: { KERNELBOT_SERVER: testServer.url, KERNELBOT_TOKEN: token } });
}

/** Returns a browser in which the account of a token is signed in. */
async function browserOf(token: string): Promise<FakeBrowser> {
  const { account } = await authenticate(testServer.database, token);
  const browser = fakeBrowser(testServer);
  const secret = await testServer.database.db
    .transaction()
    .execute((transaction) => beginSession(transaction, account.id, { address: "192.0.2.1", userAgent: "Browser/1" }));
  browser.cookies.set("kernelbot_session", secret);
  return browser;
}

test("a person exports and erases their account from a terminal", async () => {
  const { database } = testServer;
  const id = await submitted(database, await authenticate(database, ann), { source: "x = 1\n" });
  using place = workshop();
  const env = { KERNELBOT_SERVER: testServer.url, KERNELBOT_TOKEN: ann };
  const exported = await place.kernelbot(["account", "export", "--out", "mine.zip"], { env });
  expect(exported).toMatchObject({ code: 0, out: expect.stringMatching(/^Wrote mine\.zip \(/) as string });
  const file = join(place.folder, "mine.zip");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const source = unzipSync(readFileSync(file))[`submissions/${id}/kernel.py`];
  expect(source && strFromU8(source)).toBe("x = 1\n");
  const again = await place.kernelbot(["account", "export", "--out", "mine.zip"], { env });
  expect(again.err).toContain('"mine.zip" cannot be created');

  const dry = await place.kernelbot(["account", "erase", "--dry-run"], { env });
  expect(dry.out).toContain("Erasing ann:\n  1 unfinished run would be cancelled\n");
  expect(dry.out).toMatch(/^ {2}submission +1 row redacted$/m);
  expect((await place.kernelbot(["account", "erase"], { env })).err).toContain("--confirm ann");
  const wrong = await place.kernelbot(["account", "erase", "--confirm", "bob"], { env });
  expect(wrong.err).toContain('"bob" is not the name of the account');
  const erased = await place.kernelbot(["account", "erase", "--confirm", "ann"], { env });
  expect(erased.out).toMatch(/^The account is erased and is now called deleted-[0-9a-f]{10}\./);
  expect((await place.kernelbot(["whoami"], { env })).code).not.toBe(0);
});

test("an administrator exports and erases for someone else, and both are recorded", async () => {
  using place = workshop();
  const env = { KERNELBOT_SERVER: testServer.url, KERNELBOT_TOKEN: root };
  await place.kernelbot(["account", "export", "--account", "ann", "--out", "ann.zip"], { env });
  expect(existsSync(join(place.folder, "ann.zip"))).toBe(true);
  const erased = await place.kernelbot(["account", "erase", "--account", "ann", "--confirm", "ann"], { env });
  expect(erased.out).toContain("The account is erased");
  const { out } = await place.kernelbot(["admin", "audit", "--json"], { env });
  expect(out).toContain('"export-account"');
  expect(out).toContain('"erase"');
  expect(await kernelbot(["account", "erase", "--account", "root", "--dry-run"], ann)).toMatchObject({ code: 2 });
});

test("a person downloads their data on the account page, types their name, and is signed out", async () => {
  const browser = await browserOf(ann);
  expect(await (await browser.get("/account")).text()).toContain('href="/account/erase"');
  const zip = await browser.get("/account/export");
  expect(zip.headers.get("content-disposition")).toMatch(/^attachment; filename="kernelbot-account-.*\.zip"$/);
  expect(Object.keys(unzipSync(new Uint8Array(await zip.arrayBuffer())))).toContain("README.txt");
  const refused = await browser.post("/account/erase", { name: "Ann" });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("is not the name of the account");
  const done = await browser.post("/account/erase", { name: "ann" });
  expect([done.status, done.headers.get("location")]).toEqual([303, "/"]);
  expect((await browser.get("/account")).status).toBe(303);
});

test("an administrator erases on the page of the account", async () => {
  const { account } = await authenticate(testServer.database, ann);
  const browser = await browserOf(root);
  const at = `/admin/accounts/${account.id}`;
  expect(await (await browser.get(`${at}/erase`)).text()).toContain("To confirm, type the name of the account: ann");
  expect((await browser.post(`${at}/export`)).headers.get("content-type")).toBe("application/zip");
  expect((await browser.post(`${at}/erase`, { name: "ann" })).status).toBe(303);
  const erased = await (await browser.get(at)).text();
  expect(erased).toContain("<dt>Erased</dt>");
  expect(erased).not.toContain("Create sign-in link");
  const gone = await browser.get(`${at}/erase`);
  expect(gone.status).toBe(404);
});

test("the page of a submission says that its contents were deleted, and so does its source", async () => {
  const { database } = testServer;
  const id = await submitted(database, await authenticate(database, ann), { source: "x = 1\n" });
  const box = await runner(database);
  await reported(database, box, await claimed(database, box), passing("test"));
  await deleteOldContents(database, new Date(Date.now() + 1000));
  const browser = await browserOf(ann);
  const shown = await browser.get(`/submissions/${id}`);
  expect(shown.status).toBe(200);
  expect(await shown.text()).toMatch(/The source, the outputs and the files of this submission\s+were deleted/);
  const source = await testServer.ask(`/api/v1/submissions/${id}/source`, ann);
  expect([source.status, await source.text()]).toEqual([
    410,
    expect.stringContaining(`the source of submission ${id} was deleted at`) as string,
  ]);
  expect((await browser.get(`/problems/double/submit?from=${id}`)).status).toBe(410);
});
