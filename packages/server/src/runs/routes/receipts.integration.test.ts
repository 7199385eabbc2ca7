import { afterAll, beforeAll, expect, test } from "vitest";
import { ClosedProblem, checkReceipt, KeyList, type Submission } from "@kernelbot/core";
import { person, ranked, runner } from "@kernelbot/testing/fixtures.ts";
import { readSubmission } from "../../submissions/views.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let submission: Submission;
let receiptPath: string;

beforeAll(async () => {
  testServer = await openTestServer();
  const { database } = testServer;
  const id = await ranked(database, await person(database, "ann"), await runner(database), 100);
  submission = (await readSubmission(database, id)) as Submission;
  receiptPath = `/api/v1/runs/${submission.runs[0]?.id ?? 0}/receipt`;
});
afterAll(() => testServer[Symbol.asyncDispose]());

test("receipts and keys are as public as their board and verify each other", async () => {
  const response = await testServer.ask(receiptPath);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  const { keys } = KeyList.parse(await (await testServer.ask("/api/v1/keys")).json());
  const { receipt, checks } = await checkReceipt(await response.json(), { keys });
  expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
    ["signature", true],
    ["score", true],
    ["source", null],
    ["seed", null],
  ]);
  expect(receipt.source.sha256).toBe(submission.sourceHash);
});

test("returns the same bytes every time", async () => {
  const [first, second] = await Promise.all([1, 2].map(async () => (await testServer.ask(receiptPath)).text()));
  expect(first).toBe(second);
});

test("the submission's page links the receipt", async () => {
  expect(await (await testServer.ask(`/submissions/${submission.id}`)).text()).toContain(`href="${receiptPath}"`);
});

test("a run without a receipt is not found", async () => {
  const response = await testServer.ask("/api/v1/runs/4711/receipt");
  const body: unknown = await response.json();
  expect({ status: response.status, body }).toEqual({
    status: 404,
    body: { code: "not_found", detail: "run 4711 has no receipt; only ranked runs that passed have one" },
  });
});

test("only an administrator can close a problem, and the receipt then contains the seed", async () => {
  const close = async (token?: string) => testServer.ask("/api/v1/problems/double/close", token, { method: "POST" });
  expect((await close()).status).toBe(401);
  expect((await close(await testServer.token("bob"))).status).toBe(403);
  expect(await (await testServer.ask(receiptPath)).json()).toMatchObject({ seed: null });
  const closed = ClosedProblem.parse(await (await close(await testServer.token("root", ["admin"]))).json());
  expect(closed.name).toBe("double");
  expect(await (await testServer.ask(receiptPath)).json()).toMatchObject({
    seed: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
});
