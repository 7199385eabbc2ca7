import { expect, test } from "vitest";
import { spec } from "@kernelbot/testing/competitions.ts";
import { endedSpring } from "@kernelbot/testing/datasets.ts";
import { startFakeHub } from "@kernelbot/testing/fake-hub.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { authenticate } from "@kernelbot/server/src/auth/tokens.ts";
import { createCompetition } from "@kernelbot/server/src/competitions/change.ts";
import { buildSnapshot } from "@kernelbot/server/src/dataset/build-snapshot.ts";
import { buildSnapshots } from "@kernelbot/server/src/dataset/build.ts";
import { publishSnapshots } from "@kernelbot/server/src/dataset/publish/publish.ts";
import { openHuggingFace } from "@kernelbot/server/src/integrations/huggingface/hugging-face.ts";

async function exported(server: TestServer, bearer: string, body: unknown): Promise<[number, unknown]> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await server.ask("/admin/export-hf", bearer, init);
  return [response.status, await response.json()];
}

async function numberOf({ database }: TestServer, name: string): Promise<number> {
  const { number } = await database.db
    .selectFrom("problem")
    .select("number")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return number;
}

test("export-hf publishes the ended competitions and returns the rows of the leaderboards", async () => {
  await using server = await openTestServer();
  await using fake = await startFakeHub();
  const { database, datasets } = server;
  const root = await server.token("root", ["submit", "read", "admin"], [], ["administrator"]);
  const identity = await authenticate(database, root);
  await endedSpring(database, identity);
  const [double, triple] = [await numberOf(server, "double"), await numberOf(server, "triple")];
  const request = { leaderboard_ids: [double], filename: "spring.parquet", private: false };
  expect(await exported(server, root, { ...request, leaderboard_ids: [triple] })).toMatchObject([
    400,
    { detail: 'Cannot export "triple": it is not in a competition' },
  ]);
  await createCompetition(database, identity, spec({ name: "autumn" }));
  expect(await exported(server, root, { ...request, leaderboard_ids: [triple] })).toMatchObject([
    400,
    { detail: 'Cannot export "autumn": only ended public competitions are published' },
  ]);
  expect(await database.sql`select from dataset_snapshot`).toEqual([]);
  expect((await exported(server, root, { ...request, leaderboard_ids: ["1"] }))[0]).toBe(422);
  expect((await exported(server, root, { ...request, filename: "a.csv" }))[0]).toBe(422);
  const answer = exported(server, root, request);
  const signal = new AbortController().signal;
  const work = setInterval(() => {
    void buildSnapshots(database, datasets, { build: buildSnapshot }).then(() =>
      publishSnapshots(database, datasets, { destinations: [openHuggingFace(fake.options)], signal }),
    );
  }, 500);
  const [status, body] = await answer.finally(() => clearInterval(work));
  const files = ["successful", "other"].map((part) => `spring/corpus/deduplicated_${part}.parquet`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: "ok", rows: 4, repo_id: "lab/kernels", filename: files[0], files });
  expect([...(fake.commits.at(-1)?.files.keys() ?? [])]).toEqual(expect.arrayContaining(files));
});
