/** Properties shared by all pages: assets, compression, and colour theme. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { person } from "@kernelbot/testing/fixtures.ts";
import { loadAssets } from "@kernelbot/web";
import { fakeBrowser, HERE } from "@kernelbot/testing/fake-browser.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { beginSession } from "../auth/sessions.ts";

const { paths, files } = await loadAssets();
let testServer: TestServer;

beforeAll(async () => void (testServer = await openTestServer()));
afterAll(() => testServer[Symbol.asyncDispose]());

function ask(path: string, encoding: string): Promise<Response> {
  return testServer.ask(path, undefined, { headers: { "accept-encoding": encoding, accept: "text/html" } });
}

test("assets have a content hash in their name and are cached permanently", async () => {
  for (const path of [paths.style, paths.icon, ...Object.values(paths.islands)]) {
    const answer = await ask(path, "identity");
    expect(path).toMatch(/^\/assets\/\w+-[A-Z0-9]{8}\.(css|js|svg)$/);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(answer.headers.get("content-encoding")).toBeNull();
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(files.get(path)?.bytes);
  }
  expect((await ask("/assets/style.css", "br")).status).toBe(404);
});

test.each([
  ["br, gzip", "br", brotliDecompressSync],
  ["gzip;q=0.5, br;q=0", "gzip", gunzipSync],
] as const)("serves assets to a browser that accepts “%s” as %s", async (accepted, encoding, decompress) => {
  const answer = await ask(paths.style, accepted);
  expect(answer.headers.get("content-encoding")).toBe(encoding);
  expect(decompress(await answer.arrayBuffer())).toEqual(Buffer.from(files.get(paths.style)?.bytes ?? []));
});

test("compresses pages, except those that may contain a secret", async () => {
  expect((await ask("/", "gzip")).headers.get("content-encoding")).toBe("gzip");
  const signIn = await ask("/sign-in", "gzip");
  expect(signIn.headers.get("content-encoding")).toBeNull();
  expect(signIn.headers.get("cache-control")).toBe("no-store, no-transform");
});

test("a chosen colour scheme stays in this browser until it follows the system again", async () => {
  const browser = fakeBrowser(testServer);
  const choose = (theme: string): Promise<Response> =>
    browser.post("/theme", { theme, next: "/boards/double/cpu" }, { origin: HERE });
  const chosen = await choose("dark");
  expect([chosen.status, chosen.headers.get("location")]).toEqual([303, "/boards/double/cpu"]);
  expect(await (await browser.get("/")).text()).toContain('data-theme="dark"');
  await choose("system");
  expect(await (await browser.get("/")).text()).not.toContain("data-theme");
  expect((await choose("pink")).status).toBe(422);
});

test("a page that is shown again after a rejected form links to its own guide", async () => {
  const browser = fakeBrowser(testServer);
  const { account } = await person(testServer.database, "ada");
  const session = await testServer.database.db
    .transaction()
    .execute((open) => beginSession(open, account.id, { address: "192.0.2.1", userAgent: "Browser/1" }));
  browser.cookies.set("kernelbot_session", session);
  const rejected = await browser.post("/account/webhooks", { url: "nowhere" });
  const text = await rejected.text();
  expect([rejected.status, text]).toEqual([422, expect.stringContaining("Webhooks")]);
  expect(text).toContain('<a href="/docs/guides/receive-webhooks" class="guide">Guide</a>');
  expect(text).toContain('<input type="hidden" name="next" value="/" />');
});
