import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiError, BanStatus, Submission } from "@kernelbot/core";
import { issueToken } from "../../auth/tokens.ts";
import { claimed, passing, person, ranked, reported, runner } from "@kernelbot/testing/fixtures.ts";
import { storeFingerprints } from "../similar.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let moderator: string;

beforeAll(async () => {
  testServer = await openTestServer();
  moderator = await testServer.token("mia", ["read", "admin"], [], ["moderator"]);
});
afterAll(() => testServer[Symbol.asyncDispose]());

function json(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** Creates a ranked submission of a new account; returns it with the tokens of this and of another account. */
async function scene(name: string, at: TestServer = testServer) {
  const owner = await person(at.database, name);
  const id = await ranked(at.database, owner, await runner(at.database), 100);

  const token = await issueToken(at.database, {
    accountId: owner.account.id,
    label: "t",
    scopes: ["submit", "read"],
  });
  return { id, token, stranger: await at.token(`${name}'s rival`) };
}

test("a removed submission is 404 for others, also on its page, and its owner sees the reason", async () => {
  const { id, token, stranger } = await scene("ann");
  const runId = Submission.parse(await (await testServer.ask(`/api/v1/submissions/${id}`, token)).json()).runs[0]?.id;
  const removed = await testServer.ask(`/api/v1/submissions/${id}/remove`, moderator, json({ reason: "a copy" }));
  expect(Submission.parse(await removed.json()).removed).toMatchObject({ by: "moderator", reason: "a copy" });
  for (const path of [`/submissions/${id}`, `/submissions/${id}/updates`, `/api/v1/runs/${runId}/receipt`]) {
    expect((await testServer.ask(path)).status).toBe(404);
  }
  for (const path of [`submissions/${id}`, `submissions/${id}/source`, `submissions/${id}/events`, `runs/${runId}`]) {
    expect((await testServer.ask(`/api/v1/${path}`, stranger)).status).toBe(404);
  }
  const seen = Submission.parse(await (await testServer.ask(`/api/v1/submissions/${id}`, token)).json());
  expect(seen.removed).toMatchObject({ by: "moderator", reason: "a copy" });
  const restored = await testServer.ask(`/api/v1/submissions/${id}/restore`, moderator, json({ reason: "an error" }));
  expect(Submission.parse(await restored.json()).removed).toBeNull();
  expect((await testServer.ask(`/submissions/${id}`)).status).toBe(200);
});

test("an owner deletes a submission; deleting it again has no effect", async () => {
  const { id, token, stranger } = await scene("bob");
  const remove = (by?: string) => testServer.ask(`/api/v1/submissions/${id}`, by, { method: "DELETE" });
  expect((await remove()).status).toBe(401);
  expect((await remove(stranger)).status).toBe(404);
  const first = Submission.parse(await (await remove(token)).json());
  expect(first.removed).toMatchObject({ by: "owner", reason: null });
  expect(Submission.parse(await (await remove(token)).json())).toEqual(first);
});

test("bans and unbans an account by name", async () => {
  const { token } = await scene("cleo");
  const banned = await testServer.ask("/api/v1/moderation/ban", moderator, json({ account: "cleo", reason: "spam" }));
  expect(BanStatus.parse(await banned.json())).toMatchObject({ account: { name: "cleo" }, reason: "spam" });
  const refused = await testServer.ask("/api/v1/submissions/1/cancel", token, { method: "POST" });
  expect(ApiError.parse(await refused.json()).detail).toBe("the account cleo is banned: spam");
  const ended = await testServer.ask("/api/v1/moderation/unban", moderator, json({ account: "cleo", reason: "paid" }));
  expect(BanStatus.parse(await ended.json()).bannedAt).toBeNull();
});

test("a run passes through report, flag, rejection and appeal back to its board, and each party sees what concerns them", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { id, token, stranger } = await scene("ada", testServer);
  const [owner, rival] = [testServer.client(token), testServer.client(stranger)];
  const { moderation } = testServer.client(await testServer.token("mia", ["read", "admin"], [], ["moderator"]));
  const [run] = (await owner.submission(id)).runs;
  const runId = run?.id as number;
  const board = async () => (await owner.board("double", "cpu")).rows.map((row) => row.submissionId);
  await rival.report(runId, "a copy of mine");
  expect((await moderation.queue()).items).toMatchObject([
    { runId, flags: [{ check: "report", message: "a copy of mine" }] },
  ]);
  expect(await board()).toEqual([id]);
  expect((await moderation.flag(runId, "it looks so")).flags.map(({ check }) => check)).toEqual([
    "report",
    "moderator",
  ]);
  expect(await board()).toEqual([]);
  const rejected = await moderation.reject(runId, "a copy of 7");
  expect(rejected).toMatchObject({ act: "reject", runId, submissionId: id });
  expect(await rival.decisions()).toEqual([]);
  await expect(rival.appeal(rejected.id, "unfair")).rejects.toMatchObject({ status: 404 });
  expect(await owner.appeal(rejected.id, "7 is mine too")).toMatchObject({ appeal: { text: "7 is mine too" } });
  expect(await moderation.answer(rejected.id, { grant: true, reason: "so it is" })).toMatchObject({
    answer: { act: "accept", reason: "so it is" },
  });
  expect(await board()).toEqual([id]);
  expect(await (await testServer.ask(`/submissions/${id}`, token)).text()).toContain(
    "accepted by a moderator: so it is",
  );
  expect((await owner.decisions()).map(({ act }) => act)).toEqual(["accept", "reject"]);
});

test("re-runs the first entries of a board over HTTP, and the board shows which times are confirmed", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { token } = await scene("ada", testServer);
  const client = testServer.client(token);
  const { moderation } = testServer.client(await testServer.token("mia", ["read", "admin"], [], ["moderator"]));
  const [runId] = await moderation.rerunBoard("double", "cpu", 10);
  expect(await moderation.rerunBoard("double", "cpu", null)).toEqual([]);
  const box = await runner(testServer.database);
  await reported(testServer.database, box, await claimed(testServer.database, box), passing("ranked", [120, 120]));
  const [row] = (await client.board("double", "cpu")).rows;
  expect(row).toMatchObject({
    runId,
    verification: "confirmed",
    timeNs: { value: 120 },
    enteredBy: { timeNs: { value: 100 } },
  });
  expect(await (await testServer.ask("/boards/double/cpu")).text()).toContain("confirmed");
  expect(await moderation.rerun(row?.submissionId as number)).toHaveLength(1);
});

test("the moderation page shows open items to moderators only, with user text escaped", async () => {
  const { id, token } = await scene("eve");
  const { runs } = Submission.parse(await (await testServer.ask(`/api/v1/submissions/${id}`, token)).json());
  await testServer.ask(`/api/v1/runs/${runs[0]?.id}/flag`, moderator, json({ reason: "<script>alert(1)</script>" }));
  expect((await testServer.ask("/moderation")).status).toBe(401);
  expect((await testServer.ask("/moderation", token)).status).toBe(403);
  const text = await (await testServer.ask("/moderation", moderator)).text();
  expect(text).toContain(`href="/moderation/runs/${runs[0]?.id}`);
  expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(text).not.toContain("<script>alert(1)");
  const page = `/moderation/runs/${runs[0]?.id}`;
  await storeFingerprints(testServer.database);
  expect((await testServer.ask(page, token)).status).toBe(403);
  const evidence = await (await testServer.ask(page, moderator)).text();
  expect(evidence).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  // All submissions in this file have the same source.
  expect(evidence).toMatch(/>\s*100 %\s*</);
});

test("the queue and its evidence require a moderator", async () => {
  for (const path of ["/api/v1/moderation/queue", "/api/v1/moderation/runs/1"]) {
    expect((await testServer.ask(path)).status).toBe(401);
    expect((await testServer.ask(path, await testServer.token("fay"))).status).toBe(403);
  }
});

test.each([
  ["submissions/1/remove", { reason: "x" }],
  ["submissions/1/restore", { reason: "x" }],
  ["moderation/ban", { account: "mia", reason: "x" }],
  ["moderation/unban", { account: "mia", reason: "x" }],
  ["runs/1/flag", { reason: "x" }],
  ["runs/1/accept", { reason: "x" }],
  ["runs/1/reject", { reason: "x" }],
  ["decisions/1/answer", { grant: true, reason: "x" }],
])("%s requires a moderator and a reason", async (path, body) => {
  const ask = async (token: string | undefined, sent: unknown) =>
    (await testServer.ask(`/api/v1/${path}`, token, json(sent))).status;
  expect(await ask(undefined, body)).toBe(401);
  expect(await ask(await testServer.token("dora"), body)).toBe(403);
  expect(await ask(await testServer.token("olga", ["read", "admin"], [], ["organiser"]), body)).toBe(403);
  expect(await ask(moderator, { ...body, reason: " " })).toBe(422);
});

test("re-running the first entries of a board requires a moderator and a number", async () => {
  const ask = async (token: string | undefined, top: number) =>
    (await testServer.ask("/api/v1/boards/double/cpu/rerun", token, json({ top }))).status;
  expect(await ask(undefined, 1)).toBe(401);
  expect(await ask(await testServer.token("gus"), 1)).toBe(403);
  expect(await ask(await testServer.token("oda", ["read", "admin"], [], ["organiser"]), 1)).toBe(403);
  expect(await ask(moderator, 0)).toBe(422);
});
