/** Snapshots with the CLI against a real server. */
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { buildSnapshots } from "../../../server/src/dataset/build.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { rerunSubmission } from "../../../server/src/moderation/rerun.ts";
import { authenticate } from "../../../server/src/auth/tokens.ts";
import { endedSpring } from "@kernelbot/testing/datasets.ts";
import { workshop } from "../testing/kernelbot.ts";

let testServer: TestServer;
let place: ReturnType<typeof workshop>;
let organiser: string;

beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
  organiser = await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]);
  await endedSpring(testServer.database, await authenticate(testServer.database, organiser));
});
afterAll(() => testServer[Symbol.asyncDispose]());
beforeEach(() => {
  place = workshop();
  return () => place[Symbol.dispose]();
});

async function call(...args: string[]): Promise<{ code: number | null; said: string }> {
  const env = { KERNELBOT_TOKEN: organiser, XDG_CACHE_HOME: join(place.folder, "cache") };
  const { code, out, err } = await place.kernelbot(["dataset", ...args], { server: testServer.url, env });
  return { code, said: out + err };
}

/** Runs an export while the server repeatedly builds snapshots, as its background job does. */
async function exportWhileMaking(...args: string[]): Promise<{ code: number | null; said: string }> {
  const over = new AbortController();
  const exported = call("export", ...args).finally(() => over.abort());
  while (!over.signal.aborted) {
    await buildSnapshots(testServer.database, testServer.datasets);
    await pause(300);
  }
  return exported;
}

test("an export is asked for, made, downloaded and checked; what is whole stays, and what is broken goes on", async () => {
  const exported = await exportWhileMaking("--competition", "spring", "--out", "data");
  expect(exported).toMatchObject({ code: 0 });
  expect(exported.said).toMatch(/Snapshot 1 lies in data: \d+ files, .*Every checksum is right\.\n$/);
  const submissions = join(place.folder, "data/spring/submissions.parquet");
  const bytes = readFileSync(submissions);
  expect(JSON.parse(readFileSync(join(place.folder, "data/dataset.json"), "utf8"))).toMatchObject({ id: 1 });

  rmSync(submissions);
  writeFileSync(`${submissions}.part`, bytes.subarray(0, 100));
  // Damaged, with the correct length.
  writeFileSync(
    join(place.folder, "data/boards.parquet"),
    "x".repeat(statSync(join(place.folder, "data/boards.parquet")).size),
  );
  truncateSync(join(place.folder, "data/spring/code.parquet"), 10);
  testServer.logged.length = 0;
  const again = await call("download", "1", "--out", "data", "--json");
  const { files } = JSON.parse(again.said) as { files: { path: string; kept: boolean }[] };
  expect(files.filter(({ kept }) => !kept).map(({ path }) => path)).toEqual(
    expect.arrayContaining(["spring/submissions.parquet", "spring/code.parquet", "boards.parquet"]) as unknown,
  );
  expect(files.filter(({ kept }) => !kept)).toHaveLength(3);
  expect(readFileSync(submissions).equals(bytes)).toBe(true);
});

test("data with unfinished runs is exported as provisional, and only where that is asked for", async () => {
  const moderator = await authenticate(
    testServer.database,
    await testServer.token("mona", ["admin"], [], ["moderator"]),
  );
  await rerunSubmission(testServer.database, moderator, 1);
  const refused = await call("export", "--competition", "spring", "--out", "data");
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.said).toContain("spring has 1 unfinished run, which may change its boards");
  const exported = await exportWhileMaking("--competition", "spring", "--provisional", "--out", "data");
  expect(exported).toMatchObject({ code: 0 });
  expect(exported.said).toContain("Provisional: runs were unfinished when it was made.");
  expect((await call("info", "--data", "data")).said).toContain("Provisional: ");
  expect((await call("list")).said).toMatch(/2 .* provisional .* spring/);
});

test("what began with other bytes is brought anew", async () => {
  expect(await call("download", "--only", "boards.parquet", "--out", "data")).toMatchObject({ code: 0 });
  const boards = join(place.folder, "data/boards.parquet");
  const bytes = readFileSync(boards);
  rmSync(boards);
  writeFileSync(`${boards}.part`, "not what it was");
  expect(await call("download", "--only", "boards.parquet", "--out", "data")).toMatchObject({ code: 0 });
  expect(readFileSync(boards).equals(bytes)).toBe(true);
});

test("the newest comes where the other commands look, and files can be chosen", async () => {
  const { said } = await call("download", "--only", "*/sub*.parquet", "--json");
  const { folder, files } = JSON.parse(said) as { folder: string; files: { path: string }[] };
  expect(folder).toBe(
    join(place.folder, "cache/kernelbot/datasets", `${new URL(testServer.url).host.replace(":", "-")}-1`),
  );
  expect(files.map(({ path }) => path)).toEqual(["spring/submissions.parquet"]);
  expect((await call("list")).said).toMatch(/1 .* ready .* spring/);
});

test.each([
  [["export", "--out", "x"], "give --competition NAME or --all-ended"],
  [["export", "--competition", "spring"], "say where the files go"],
  [["export", "--competition", "none", "--out", "x"], 'there is no competition "none"'],
  [["export", "--all-ended", "--out", "x"], "administrator"],
  [["download", "x"], '"x" is no number of a snapshot'],
  [["download", "9"], "there is no snapshot 9"],
  [["download", "--only", "*.csv"], 'no file of snapshot 1 is "*.csv"'],
  [["publish", "1"], "say where: --to hugging-face"],
  [["publish", "1", "--to", "object-store"], "administrator"],
])("%j is refused with a sentence", async (args, sentence) => {
  const { code, said } = await call(...args);
  expect(code).toBe(2);
  expect(said).toContain(sentence);
});
