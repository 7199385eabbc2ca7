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
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";

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

async function call(...args: string[]): Promise<{ code: number | null; printed: string }> {
  const env = { KERNELBOT_TOKEN: organiser, XDG_CACHE_HOME: join(place.folder, "cache") };
  const { code, out, err } = await place.kernelbot(["dataset", ...args], { server: testServer.url, env });
  return { code, printed: out + err };
}

/** Runs an export while the server repeatedly builds snapshots, as its background job does. */
async function exportWhileBuilding(...args: string[]): Promise<{ code: number | null; printed: string }> {
  const over = new AbortController();
  const exported = call("export", ...args).finally(() => over.abort());
  while (!over.signal.aborted) {
    await buildSnapshots(testServer.database, testServer.datasets);
    await pause(300);
  }
  return exported;
}

test("an export is created, downloaded and verified; complete files are kept and partial ones resumed", async () => {
  const exported = await exportWhileBuilding("--competition", "spring", "--out", "data");
  expect(exported).toMatchObject({ code: 0 });
  expect(exported.printed).toMatch(/Downloaded snapshot 1 to data: \d+ files, .*All checksums match\.\n$/);
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
  const { files } = JSON.parse(again.printed) as { files: { path: string; kept: boolean }[] };
  expect(files.filter(({ kept }) => !kept).map(({ path }) => path)).toEqual(
    expect.arrayContaining(["spring/submissions.parquet", "spring/code.parquet", "boards.parquet"]) as unknown,
  );
  expect(files.filter(({ kept }) => !kept)).toHaveLength(3);
  expect(readFileSync(submissions).equals(bytes)).toBe(true);
});

test("data with unfinished runs is exported as provisional, and only with --provisional", async () => {
  const moderator = await authenticate(
    testServer.database,
    await testServer.token("mona", ["admin"], [], ["moderator"]),
  );
  await rerunSubmission(testServer.database, moderator, 1);
  const refused = await call("export", "--competition", "spring", "--out", "data");
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.printed).toContain("spring has 1 unfinished run, which may change its boards");
  const exported = await exportWhileBuilding("--competition", "spring", "--provisional", "--out", "data");
  expect(exported).toMatchObject({ code: 0 });
  expect(exported.printed).toContain("Provisional: runs were unfinished when it was made.");
  expect((await call("info", "--data", "data")).printed).toContain("Provisional: ");
  expect((await call("list")).printed).toMatch(/2 .* provisional .* spring/);
});

test("a partial file with different content is downloaded again", async () => {
  expect(await call("download", "--only", "boards.parquet", "--out", "data")).toMatchObject({ code: 0 });
  const boards = join(place.folder, "data/boards.parquet");
  const bytes = readFileSync(boards);
  rmSync(boards);
  writeFileSync(`${boards}.part`, "different");
  expect(await call("download", "--only", "boards.parquet", "--out", "data")).toMatchObject({ code: 0 });
  expect(readFileSync(boards).equals(bytes)).toBe(true);
});

test("the newest snapshot is downloaded to the cache of the other commands, with selected files only", async () => {
  const { printed } = await call("download", "--only", "*/sub*.parquet", "--json");
  const { folder, files } = JSON.parse(printed) as { folder: string; files: { path: string }[] };
  expect(folder).toBe(
    join(place.folder, "cache/kernelbot/datasets", `${new URL(testServer.url).host.replace(":", "-")}-1`),
  );
  expect(files.map(({ path }) => path)).toEqual(["spring/submissions.parquet"]);
  expect((await call("list")).printed).toMatch(/1 .* ready .* spring/);
});

test.each([
  [["export", "--out", "x"], "use either --competition NAME or --all-ended"],
  [["export", "--competition", "spring"], "--out DIR is required"],
  [["export", "--competition", "none", "--out", "x"], 'competition "none" not found'],
  [["export", "--all-ended", "--out", "x"], "administrator"],
  [["download", "x"], '"x" is not the number of a snapshot'],
  [["download", "9"], "snapshot 9 does not exist"],
  [["download", "--only", "*.csv"], 'no file of snapshot 1 matches "*.csv"'],
  [["publish", "1"], "--to hugging-face|object-store is required"],
  [["publish", "1", "--to", "object-store"], "administrator"],
])("%j is rejected with a message", async (args, sentence) => {
  const { code, printed } = await call(...args);
  expect(code).toBe(2);
  expect(printed).toContain(sentence);
});
