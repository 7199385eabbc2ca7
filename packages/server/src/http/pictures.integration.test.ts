/** Pictures of shared links: each shows what its page shows to everyone at the time, and nothing else. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimed, failing, ranked, reported, request, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { CompetitionSpec } from "@kernelbot/core";
import { createCompetition } from "../competitions/change.ts";
import { authenticate } from "../auth/tokens.ts";
import { removeOwn } from "../moderation/remove.ts";
import { submit } from "../submissions/submit.ts";

let testServer: TestServer;
let submission: number;
beforeAll(async () => {
  testServer = await openTestServer();
  const { database } = testServer;
  const ann = await authenticate(database, await testServer.token("ann"));
  const box = await runner(database);
  submission = await ranked(database, ann, box, 300);
  await ranked(database, ann, box, 200, { source: "# 2\n" });
  await submit(database, ann, request());
  await reported(database, box, await claimed(database, box), failing("crash", "secret"));
});
afterAll(() => testServer[Symbol.asyncDispose]());

async function metaOf(path: string, token?: string): Promise<Record<string, string>> {
  const page = await (await testServer.ask(path, token, { headers: { accept: "text/html" } })).text();
  return Object.fromEntries(
    Array.from(page.matchAll(/<meta property="([^"]+)" content="([^"]*)"/g), ([, name = "", content = ""]) => [
      name,
      content,
    ]),
  );
}
const contentOf = (address = "") =>
  JSON.parse(Buffer.from(address.split("/").at(-1)?.split(".")[0] ?? "", "base64url").toString()) as unknown[];

test("boards, problems and submissions have a picture with their title, leader and figures", async () => {
  const board = await metaOf("/boards/double/cpu");
  expect(contentOf(board["og:image"])).toEqual([
    "double on cpu",
    "1 entry, led by ann with 5.000× speedup.",
    [
      [0, 0],
      [899, 999],
    ],
  ]);
  expect(board["og:image:alt"]).toBe("double on cpu: 1 entry, led by ann with 5.000× speedup.");
  const problem = await metaOf("/problems/double");
  expect(contentOf(problem["og:image"])).toEqual(["double", "cpu: 5.000× speedup by ann. Doubles a vector.", []]);
  const own = await metaOf(`/submissions/${submission}`);
  expect(own["og:description"]).toMatch(/^double by ann: 3.333× speedup on cpu/);

  const { pathname, search } = new URL(board["og:image"] ?? "");
  const response = await testServer.ask(pathname + search);
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(response.headers.get("cache-control")).toBe("no-cache");
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([bytes.subarray(1, 4).toString(), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual(["PNG", 1200, 630]);
});

test("pseudonyms, frozen entries and closed competitions do not appear in a picture", async () => {
  const { database } = testServer;
  const olga = await authenticate(
    database,
    await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]),
  );
  const zoe = await authenticate(database, await testServer.token("zoe"));
  const box = await runner(database);
  const spring = CompetitionSpec.parse({
    ...{ name: "spring", title: "Spring", problems: ["triple"], names: "pseudonyms" },
    ...{ startsAt: "2020-01-01T00:00:00Z", endsAt: "2100-01-01T00:00:00Z" },
  });
  await createCompetition(database, olga, spring);
  const id = await ranked(database, zoe, box, 300, { board: "triple" });
  const paths = ["/boards/triple/cpu", "/problems/triple", `/submissions/${id}`];
  for (const path of paths) {
    expect(JSON.stringify(contentOf((await metaOf(path))["og:image"]))).toMatch(/anon-[0-9a-f]{12}/);
    expect(JSON.stringify(await metaOf(path))).not.toContain("zoe");
  }
  await database.sql`update competition set freeze_at = now()`;
  await ranked(database, zoe, box, 7, { board: "triple", source: "# 3\n" });
  for (const path of paths) {
    expect(String(contentOf((await metaOf(path))["og:image"]))).not.toMatch(/\b7\.0|\b142\.9/);
  }
  await database.sql`update competition set visibility = 'closed'`;
  for (const path of paths) expect((await metaOf(path))["og:image"]).toMatch(/\/assets\/preview-/);
});

test("a picture is drawn only while its page shows it to everyone; else its address leads to the page's current picture", async () => {
  const { database } = testServer;
  const eve = await authenticate(database, await testServer.token("eve"));
  const box = await runner(database);
  const ask = async (address: string) => {
    const { pathname, search } = new URL(address);
    const response = await testServer.ask(pathname + search);
    return [response.status, response.headers.get("content-type"), response.headers.get("location")];
  };
  const pictureOf = async (path: string) => (await metaOf(path))["og:image"] ?? "";
  const before = await pictureOf("/boards/double/cpu");
  const id = await ranked(database, eve, box, 50, { source: "# 4\n" });
  const after = await pictureOf("/boards/double/cpu");
  const own = await pictureOf(`/submissions/${id}`);
  expect(await ask(after)).toEqual([200, "image/png", null]);
  expect(await ask(before)).toEqual([302, null, new URL(after).pathname + new URL(after).search]);
  await removeOwn(database, eve, id);
  expect(await ask(own)).toEqual([404, expect.anything(), null]);
  expect(await ask(after)).toEqual([302, null, new URL(before).pathname + new URL(before).search]);
  expect(await ask(before)).toEqual([200, "image/png", null]);
});

test("a page that needs an account has the picture of the site", async () => {
  const token = await testServer.token("ann");
  expect((await metaOf("/boards/double/cpu", token))["og:image"]).toMatch(/\/assets\/preview-/);
});

test("content that its page does not show is not drawn, whatever page the address names", async () => {
  const address = new URL((await metaOf("/boards/double/cpu"))["og:image"] ?? "");
  const forged = `/pictures/${Buffer.from(JSON.stringify(["Forged", "", []])).toString("base64url")}.png`;
  const statusOf = async (path: string) => (await testServer.ask(path)).status;
  expect(await statusOf(forged + address.search)).toBe(302);
  expect(await statusOf(address.pathname)).toBe(404);
  for (const page of ["/updates", "/nothing", "/healthz", "//elsewhere.example/", "https://elsewhere.example/", "x"])
    expect([page, await statusOf(`${address.pathname}?${new URLSearchParams({ page })}`)]).toEqual([page, 404]);
});
