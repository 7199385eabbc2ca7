/** Snapshots over the API. Permissions are tested in packages/server/tests/routes.integration.test.ts. */
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SnapshotDetails, type SnapshotFile } from "@kernelbot/core";
import { authenticate } from "../../auth/tokens.ts";
import { endedSpring, madeSnapshot } from "@kernelbot/testing/datasets.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let organiser: string;
let file: SnapshotFile;
const FILE = "/api/v1/datasets/1/files/spring/submissions.parquet";

beforeAll(async () => {
  testServer = await openTestServer();
  organiser = await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]);
  const olga = await authenticate(testServer.database, organiser);
  await endedSpring(testServer.database, olga);
  await madeSnapshot(testServer.database, testServer.datasets, olga);
  const { manifest } = SnapshotDetails.parse(await (await testServer.ask("/api/v1/datasets/latest")).json());
  file = manifest?.files.find(({ path }) => path === "spring/submissions.parquet") as SnapshotFile;
});
afterAll(() => testServer[Symbol.asyncDispose]());

function fetched(headers: Record<string, string> = {}, path = FILE, method = "GET"): Promise<Response> {
  return testServer.ask(path, undefined, { headers, method });
}

test("a file has its hash as ETag and is immutable", async () => {
  const response = await fetched();
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(file.sha256);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    etag: `"${file.sha256}"`,
    "content-length": String(file.sizeBytes),
    "accept-ranges": "bytes",
    "content-type": "application/vnd.apache.parquet",
    "content-disposition": 'attachment; filename="submissions.parquet"',
  });
  expect(response.headers.get("cache-control")).toContain("immutable");
  const latest = await fetched({}, FILE.replace("/1/", "/latest/"), "HEAD");
  expect(latest.headers.get("cache-control")).toBe("private, no-cache");
  expect(await latest.text()).toBe("");
});

test("a Range request returns a part, unless If-Range names another version", async () => {
  const whole = Buffer.from(await (await fetched()).arrayBuffer());
  const part = await fetched({ range: "bytes=4-", "if-range": `"${file.sha256}"` });
  expect(part.status).toBe(206);
  expect(part.headers.get("content-range")).toBe(`bytes 4-${file.sizeBytes - 1}/${file.sizeBytes}`);
  expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(4))).toBe(true);
  expect((await fetched({ range: "bytes=4-", "if-range": '"other"' })).status).toBe(200);
  const beyond = await fetched({ range: `bytes=${file.sizeBytes}-` });
  expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${file.sizeBytes}`]);
  expect((await fetched({ "if-none-match": `"${file.sha256}"` })).status).toBe(304);
});

test.each([
  ["spring/none.parquet", 404],
  ["../1/dataset.json", 404],
  ["..%2f..%2f..%2fetc%2fpasswd", 422],
  ["%2fetc%2fpasswd", 422],
  ["spring%5csubmissions.parquet", 422],
  ["spring/.hidden", 422],
  ["spring/submissions.parquet%00", 422],
])("the path %s is rejected", async (path, status) => {
  const response = await testServer.ask(`/api/v1/datasets/1/files/${path}`);
  expect(response.status).toBe(status);
  await response.text();
});

test("an organiser requests a snapshot, and others see it once it is ready", async () => {
  const response = await testServer.ask("/api/v1/datasets", organiser, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ competitions: ["spring"] }),
  });
  expect([response.status, response.headers.get("location")]).toEqual([202, "/api/v1/datasets/2"]);
  const states = async (token?: string): Promise<unknown> => {
    const { snapshots } = (await (await testServer.ask("/api/v1/datasets", token)).json()) as {
      snapshots: { id: number; state: string }[];
    };
    return snapshots.map(({ id, state }) => [id, state]);
  };
  expect(await states(organiser)).toEqual([
    [2, "building"],
    [1, "ready"],
  ]);
  expect(await states()).toEqual([[1, "ready"]]);
  expect((await testServer.ask("/api/v1/datasets/2/files/dataset.json", organiser)).status).toBe(409);
});

test("a file that is missing on the disk is reported, not served in part", async () => {
  rmSync(join(testServer.datasets, "1", "spring", "code.parquet"));
  expect((await fetched({}, FILE.replace("submissions", "code"))).status).toBe(503);
});
