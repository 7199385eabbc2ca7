import { expect, test } from "vitest";
import { changeCompetition, createCompetition } from "../../competitions/change.ts";
import { inHours, spec } from "@kernelbot/testing/competitions.ts";
import { person, ranked, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";

const BOARD = "/boards/triple/cpu/feed.atom";

function titlesIn(feed: string): string[] {
  return Array.from(feed.matchAll(/<title>(.*?)<\/title>/g), ([, title = ""]) => title).slice(1);
}

test("the feed of a board lists its records, the newest first, and nothing that a freeze hides", async () => {
  await using testServer = await openTestServer({ site: { publicUrl: "https://kernels.example.org" } });
  const { database } = testServer;
  const [ann, bob, olga, box] = await Promise.all([
    person(database, "ann"),
    person(database, "<bob>"),
    person(database, "olga", ["submit", "read", "admin"], ["organiser"]),
    runner(database),
  ]);
  await createCompetition(database, olga, spec());
  await ranked(database, ann, box, 300, { board: "triple" });
  await ranked(database, ann, box, 400, { board: "triple" });
  await ranked(database, bob, box, 200, { board: "triple" });
  const answer = await testServer.ask(BOARD);
  expect(answer.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
  const feed = await answer.text();
  expect(titlesIn(feed)).toEqual([
    "&lt;bob&gt;: 5.000× speedup on triple (cpu)",
    "ann: 3.333× speedup on triple (cpu)",
  ]);
  expect(feed).toContain("<id>https://kernels.example.org/boards/triple/cpu#record-");
  expect(feed).toContain("Before: 3.333× speedup, 300.0 ns");

  const headers = { "if-none-match": answer.headers.get("etag") ?? "" };
  expect((await testServer.ask(BOARD, undefined, { headers })).status).toBe(304);

  await changeCompetition(database, olga, spec({ freezeAt: new Date().toISOString() }));
  await ranked(database, ann, box, 100, { board: "triple" });
  const frozen = await (await testServer.ask(BOARD, await testServer.token("root", ["read", "admin"]))).text();
  expect(frozen).toBe(feed);
  expect((await testServer.ask("/boards/nothing/cpu/feed.atom")).status).toBe(404);
});

test("the feeds of competitions list what has happened, and all feed lists only public ones", async () => {
  await using testServer = await openTestServer();
  const { database } = testServer;
  const [ann, olga, box] = await Promise.all([
    person(database, "ann"),
    person(database, "olga", ["submit", "read", "admin"], ["organiser"]),
    runner(database),
  ]);
  await createCompetition(database, olga, spec({ startsAt: inHours(-50), endsAt: inHours(5) }));
  await createCompetition(
    database,
    olga,
    spec({ name: "later", title: "Later", startsAt: inHours(20), endsAt: inHours(90), problems: [] }),
  );
  await createCompetition(database, olga, spec({ name: "link", title: "Link", visibility: "unlisted", problems: [] }));
  await database.sql`update competition set created_at = now() - interval '60 hours' where name = 'spring'`;
  const read = async (path: string) => titlesIn(await (await testServer.ask(path)).text());
  expect(await read("/competitions/spring/feed.atom")).toEqual([
    "Spring kernels: ends in 24 hours",
    "Spring kernels: open for submissions",
    "Spring kernels: announced",
  ]);
  expect(await read("/competitions/link/feed.atom")).toEqual(["Link: open for submissions"]);
  expect((await read("/feed.atom")).toSorted()).toEqual([
    "Later: announced",
    "Spring kernels: announced",
    "Spring kernels: ends in 24 hours",
    "Spring kernels: open for submissions",
  ]);

  await ranked(database, ann, box, 300, { board: "triple" });
  await changeCompetition(database, olga, spec({ startsAt: inHours(-50), endsAt: new Date().toISOString() }));
  const ended = await (await testServer.ask("/competitions/spring/feed.atom")).text();
  expect(titlesIn(ended)).toContain("Spring kernels: results");
  expect(ended).toContain("First on the leaderboards: triple on cpu: ann, 3.333× speedup.");
});
