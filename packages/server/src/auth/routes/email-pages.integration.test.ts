/** Signing in by e-mail, and attacks on it. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeBrowser, HERE, type FakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { inHours } from "@kernelbot/testing/competitions.ts";
import { startFakeSmtp, type FakeSmtp } from "@kernelbot/testing/fake-smtp.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { openLog } from "../../observe/log.ts";
import { openMailer, type Mailer } from "../email/mailer.ts";

let smtp: FakeSmtp;
let mailer: Mailer;
let testServer: TestServer;
let number = 0;
/** Each test uses its own address and network. */
let ada: string;
let from: Record<string, string>;

beforeAll(async () => {
  smtp = await startFakeSmtp();
  mailer = await openMailer(smtp.options, openLog("silent", { write: () => undefined }));
  testServer = await openTestServer({ site: { mailer, proxies: 1 } });
});
afterAll(async () => {
  await testServer[Symbol.asyncDispose]();
  mailer.close();
  await smtp[Symbol.asyncDispose]();
});
beforeEach(() => {
  number += 1;
  ada = `ada${number}@example.org`;
  from = { origin: HERE, "x-forwarded-for": `192.0.2.${number}` };
  smtp.mails.length = 0;
  smtp.refusal = undefined;
});

/** Requests a link, and returns the path of the newest mail's link. */
async function linkFor(browser: FakeBrowser, email = ada, next = "/queue"): Promise<string> {
  const sent = await browser.post("/sign-in/email", { email, next }, from);
  expect([sent.status, await sent.text()]).toEqual([200, expect.stringContaining("Check your mail")]);
  return newestLink();
}

function newestLink(): string {
  const { url = "" } = smtp.mails.at(-1) ?? {};
  expect(url).toMatch(/^http:\/\/localhost\/sign-in\/email\?token=[\w-]{43}$/);
  return url.slice(HERE.length);
}

function use(browser: FakeBrowser, link: string, name?: string): Promise<Response> {
  const token = new URLSearchParams(link.split("?")[1]).get("token") ?? "";
  return browser.post("/sign-in/email/link", { token, ...(name !== undefined && { name }) });
}

async function nameOf(browser: FakeBrowser): Promise<string | undefined> {
  const response = await browser.get("/api/v1/account");
  return response.ok ? ((await response.json()) as { name: string }).name : undefined;
}

/** Creates the account of an address. */
async function registered(name: string, email = ada): Promise<FakeBrowser> {
  const browser = fakeBrowser(testServer);
  expect((await use(browser, await linkFor(browser, email), name)).status).toBe(303);
  return browser;
}

test("a first sign-in asks for a name, and later ones open the same account in any browser", async () => {
  const browser = fakeBrowser(testServer);
  expect(await (await browser.get("/sign-in")).text()).toMatch(/<label for="email">E-mail<[^]*Send sign-in link/);
  const link = await linkFor(browser);
  // Mail scanners open links before their owners do.
  for (let views = 0; views < 3; views += 1) {
    const seen = await fakeBrowser(testServer).get(link);
    expect(seen.headers.get("cache-control")).toContain("no-store");
    expect(await seen.text()).toMatch(new RegExp(`No account is linked to <strong>${ada}<[^]*Create account`));
  }
  const created = await use(browser, link, `Ada ${number}`);
  expect([created.status, created.headers.get("location")]).toEqual([303, "/queue"]);
  expect(created.headers.getSetCookie().join()).toMatch(/kernelbot_session=[\w-]{43}; .*HttpOnly; SameSite=Lax/);

  const phone = fakeBrowser(testServer);
  const again = await linkFor(phone, ` ADA${number}@Example.ORG`, "https://evil.example");
  const laptop = fakeBrowser(testServer);
  expect(await (await laptop.get(again)).text()).toContain(`Sign in as Ada ${number}</h1>`);
  expect((await use(laptop, again)).headers.get("location")).toBe("/");
  expect(await nameOf(laptop)).toBe(`Ada ${number}`);
  expect(await nameOf(phone)).toBeUndefined();
});

test("a link works once, and expires", async () => {
  const browser = await registered(`Once ${number}`);
  const link = await linkFor(browser);
  expect((await use(browser, link)).status).toBe(303);
  for (const again of [await use(browser, link), await browser.get(link)]) {
    expect([again.status, await again.text()]).toEqual([404, expect.stringContaining("already used or has expired")]);
  }
  const late = await linkFor(browser);
  await testServer.database.sql`update email_link set expires_at = now() where address = ${ada}`;
  expect((await use(browser, late)).status).toBe(404);
  expect((await use(browser, "/sign-in/email?token=invented")).status).toBe(404);
});

test("two browsers that use one link at the same time create one account and one session", async () => {
  const link = await linkFor(fakeBrowser(testServer));
  const names = [`Twin A ${number}`, `Twin B ${number}`];
  const answers = await Promise.all(names.map((name) => use(fakeBrowser(testServer), link, name)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 404]);
  const created = await testServer.database.sql`select 1 from account where name like ${`Twin _ ${number}`}`;
  expect(created).toHaveLength(1);
});

test("a rejected name is shown again, and does not use the link up", async () => {
  await testServer.token("taken");
  const browser = fakeBrowser(testServer);
  const link = await linkFor(browser);
  const taken = await use(browser, link, "taken");
  expect([taken.status, await taken.text()]).toEqual([
    409,
    expect.stringMatching(/already has the name[^]*Create an account[^]*value="taken"/) as string,
  ]);
  expect((await use(browser, link, "")).status).toBe(422);
  expect((await use(browser, link, `Free ${number}`)).status).toBe(303);
});

test("the response is the same for addresses with and without an account", async () => {
  await registered(`Known ${number}`);
  const texts = [];
  for (const email of [ada, `new${number}@example.org`]) {
    const sent = await fakeBrowser(testServer).post("/sign-in/email", { email }, from);
    texts.push((await sent.text()).replaceAll(email, "ADDRESS"));
  }
  expect(texts[0]).toBe(texts[1]);
  const mails = smtp.mails.slice(-2).map(({ text }) => text.replace(/[\w-]{43}/g, "TOKEN"));
  const plain = mails.map((text) => /Open this link[^]*?without/.exec(text)?.[0]);
  expect(plain[0]).toBeDefined();
  expect(plain[0]).toBe(plain[1]);
});

test("an invalid address is shown again with its error, and no mail is sent", async () => {
  const browser = fakeBrowser(testServer);
  const email = "ada@example.org\r\nBcc: all@example.org";
  const refused = await browser.post("/sign-in/email", { email, next: "/queue" }, from);
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringMatching(/role="alert"[^]*is not a valid e-mail address[^]*name="next" value="\/queue"/) as string,
  ]);
  expect(smtp.mails).toEqual([]);
});

test("a mail that cannot be sent is an error, not a page that says that it was", async () => {
  const browser = fakeBrowser(testServer);
  smtp.refusal = { step: "RCPT", code: 550, text: "No such user" };
  const rejected = await browser.post("/sign-in/email", { email: ada }, from);
  expect([rejected.status, await rejected.text()]).toEqual([
    422,
    expect.stringMatching(new RegExp(`the mail server rejected the address ${ada}[^]*value="${ada}"`)) as string,
  ]);
  smtp.refusal = { step: "DATA", code: 451, text: "Try later" };
  const failed = await browser.post("/sign-in/email", { email: ada }, from);
  expect([failed.status, failed.headers.has("retry-after"), await failed.text()]).toEqual([
    503,
    true,
    expect.stringContaining("the mail could not be sent; try again in a few minutes"),
  ]);
});

test("only addresses of the configured domains are accepted", async () => {
  await using closed = await openTestServer({ site: { mailer: { ...mailer, domains: ["example.edu"] } } });
  const browser = fakeBrowser(closed);
  expect(await (await browser.get("/sign-in")).text()).toContain("Accepted: addresses of example.edu.");
  expect((await browser.post("/sign-in/email", { email: ada })).status).toBe(422);
  expect(smtp.mails).toEqual([]);
  expect((await browser.post("/sign-in/email", { email: "ada@Example.edu" })).status).toBe(200);
});

test("an address gets 5 mails in 15 minutes from all networks together, and its links stay valid", async () => {
  const first = await linkFor(fakeBrowser(testServer));
  const send = (client: number) =>
    fakeBrowser(testServer).post(
      "/sign-in/email",
      { email: ada.toUpperCase() },
      { ...from, "x-forwarded-for": `203.0.113.${client}` },
    );
  for (let client = 1; client < 5; client += 1) expect((await send(client)).status).toBe(200);
  const over = await send(5);
  expect([over.status, over.headers.get("retry-after")]).toEqual([429, "900"]);
  expect(smtp.mails).toHaveLength(5);
  expect((await use(fakeBrowser(testServer), first, `Calm ${number}`)).status).toBe(303);
});

test("a network sends 100 mails in 10 minutes", async () => {
  await testServer.database
    .sql`insert into throttle (kind, who, count) values ('mail-network', ${`192.0.2.${number}`}, 99)`;
  await linkFor(fakeBrowser(testServer));
  const over = await fakeBrowser(testServer).post("/sign-in/email", { email: `b${ada}` }, from);
  expect([over.status, smtp.mails.length]).toEqual([429, 1]);
});

test("an account adds an address, signs in with it, and removes it", async () => {
  const browser = await registered(`Owner ${number}`);
  const second = `second${number}@example.org`;
  expect(await (await browser.get("/account")).text()).toMatch(/name="email"[^]*Link e-mail address/);
  const sent = await browser.post("/account/link/email", { email: second }, from);
  expect(await sent.text()).toContain(`A link was sent to <strong>${second}</strong>`);
  const link = newestLink();
  expect(smtp.mails.at(-1)?.text).toMatch(/asked to add this e-mail address/);

  // Someone else who reads the mail cannot be led to use it, and does not use it up.
  for (const other of [fakeBrowser(testServer), await registered(`Other ${number}`, `other${number}@example.org`)]) {
    expect(await (await other.get(link)).text()).toMatch(/this browser is not signed in to it/);
    expect((await use(other, link)).status).toBe(403);
  }
  expect(await (await browser.get(link)).text()).toContain("Link this address</button>");
  expect((await use(browser, link)).headers.get("location")).toBe("/account#identities");

  const phone = fakeBrowser(testServer);
  await use(phone, await linkFor(phone, second));
  expect(await nameOf(phone)).toBe(`Owner ${number}`);
  const unlinked = await browser.post("/account/unlink", { provider: "email", subject: ada });
  expect(unlinked.status).toBe(303);
  expect((await browser.post("/account/unlink", { provider: "email", subject: second })).status).toBe(409);
});

test("an address of another account is not linked", async () => {
  await registered(`First ${number}`);
  const browser = await registered(`Second ${number}`, `second${number}@example.org`);
  await browser.post("/account/link/email", { email: ada }, from);
  const refused = await use(browser, newestLink());
  expect([refused.status, await refused.text()]).toEqual([
    409,
    expect.stringContaining("this e-mail address opens another account here"),
  ]);
});

test("a visitor joins a competition by an invite link with an e-mail address, in a second browser", async () => {
  const olga = await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]);
  const send = async (path: string, body: unknown) =>
    testServer.ask(`/api/v1${path}`, olga, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await send("/competitions", {
    ...{ name: "spring", title: "Spring", visibility: "closed", problems: ["triple"] },
    ...{ startsAt: inHours(-1), endsAt: inHours(1) },
  });
  const made = await send("/competitions/spring/invite-links", { maxUses: 1, days: 1 });
  const join = ((await made.json()) as { url: string }).url.slice(HERE.length);
  const browser = fakeBrowser(testServer);
  const page = await (await browser.get(join)).text();
  const [, next = ""] = /action="\/sign-in\/email"[^]*?name="next" value="([^"]+)"/.exec(page) ?? [];
  expect(next).toBe(join);
  const link = await linkFor(browser, ada, next);
  const phone = fakeBrowser(testServer);
  expect((await use(phone, link, `Student ${number}`)).headers.get("location")).toBe(join);
  expect(await (await phone.get(join)).text()).toContain(`You join as <strong>Student ${number}</strong>`);
  expect((await phone.post(join)).headers.get("location")).toBe("/competitions/spring");
  expect((await phone.get("/competitions/spring")).status).toBe(200);
});

test("forms of other sites send no mail and use no link", async () => {
  const browser = await registered(`Safe ${number}`);
  const link = await linkFor(browser);
  const token = new URLSearchParams(link.split("?")[1]).get("token") ?? "";
  const evil = { origin: "https://evil.example" };
  for (const path of ["/sign-in/email", "/sign-in/email/link", "/account/link/email"]) {
    expect((await browser.post(path, { email: `x${ada}`, token }, evil)).status).toBe(403);
  }
  expect(smtp.mails).toHaveLength(2);
  expect((await browser.get(link)).status).toBe(200);
});

test("a server without e-mail offers none", async () => {
  await using bare = await openTestServer();
  const browser = fakeBrowser(bare);
  expect(await (await browser.get("/sign-in")).text()).not.toContain("E-mail");
  expect((await browser.post("/sign-in/email", { email: ada })).status).toBe(404);
  expect((await browser.get("/sign-in/email")).headers.get("location")).toBe("/sign-in");
});
