import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { person, problemFiles, problemTree, request } from "@kernelbot/testing/fixtures.ts";
import { syncProblems } from "../problems/sync.ts";
import { readEvents, readSource, readSubmission } from "./views.ts";
import { submit } from "./submit.ts";
import { ann, bob, database, useScene } from "@kernelbot/testing/scene.ts";

useScene();

async function countOf(table: "submission" | "run" | "event" | "code"): Promise<number> {
  const row = await database.db
    .selectFrom(table)
    .select((build) => build.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return row.count;
}

test("stores source, runs and first events of an accepted submission", async () => {
  const { submission, created } = await submit(database, ann, request({ targets: ["cpu", "H100"], mode: "ranked" }));
  expect(created).toBe(true);
  expect(submission).toMatchObject({
    account: ann.account,
    board: "double",
    mode: "ranked",
    fileName: "kernel.py",
    sourceHash: createHash("sha256").update("pass\n").digest("hex"),
    lastEvent: 3,
    runs: [
      { target: "cpu", state: "queued", attempt: 0 },
      { target: "H100", state: "queued", attempt: 0 },
    ],
  });
  expect(await readSource(database, submission.id)).toBe("pass\n");
  const events = await readEvents(database, submission.id, 0, 10);
  expect(events.map(({ id, runId, event }) => [id, runId, event])).toEqual([
    [1, null, { type: "submission_accepted", board: "double", mode: "ranked", targets: ["cpu", "H100"] }],
    [2, submission.runs[0]?.id, { type: "run_queued", target: "cpu", reason: null }],
    [3, submission.runs[1]?.id, { type: "run_queued", target: "H100", reason: null }],
  ]);
});

test("returns the submission with its queue position", async () => {
  const { submission } = await submit(database, ann, request());
  expect(submission.runs.map((run) => run.queuePosition)).toEqual([1]);
  expect(await readSubmission(database, submission.id)).toEqual(submission);
});

test("creates one run for a target that is named twice", async () => {
  const { submission } = await submit(database, ann, request({ targets: ["cpu", "cpu"] }));
  expect(submission.runs).toHaveLength(1);
});

test("stores an identical source once", async () => {
  await submit(database, ann, request());
  await submit(database, ann, request({ mode: "benchmark" }));
  expect([await countOf("submission"), await countOf("code")]).toEqual([2, 1]);
});

test("returns the first submission with its current state when a request is repeated under the same key", async () => {
  const first = await submit(database, ann, request(), { idempotencyKey: "k" });
  const again = await submit(database, ann, request(), { idempotencyKey: "k" });
  expect(again.created).toBe(false);
  expect(again.submission.id).toBe(first.submission.id);
  expect([await countOf("submission"), await countOf("run"), await countOf("event")]).toEqual([1, 1, 2]);
});

test("creates one submission from concurrent equal requests under one key", async () => {
  const all = await Promise.all(
    Array.from({ length: 50 }, () => submit(database, ann, request(), { idempotencyKey: "k" })),
  );
  expect(all.filter(({ created }) => created)).toHaveLength(1);
  expect(new Set(all.map(({ submission }) => submission.id)).size).toBe(1);
});

test("rejects a different request under a used key as a conflict", async () => {
  const { submission } = await submit(database, ann, request(), { idempotencyKey: "k" });
  await expect(submit(database, ann, request({ source: "other" }), { idempotencyKey: "k" })).rejects.toMatchObject({
    code: "conflict",
    message: `the idempotency key "k" was already used for a different request: submission ${submission.id}`,
  });
});

test("allows two accounts to use the same key", async () => {
  const first = await submit(database, ann, request(), { idempotencyKey: "k" });
  const second = await submit(database, bob, request(), { idempotencyKey: "k" });
  expect(second.created).toBe(true);
  expect(second.submission.id).not.toBe(first.submission.id);
});

test("a rejected request does not fail others in the same batch", async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) =>
      submit(database, ann, request(index % 3 === 0 ? { board: "nothing" } : { source: `x = ${index}` })),
    ),
  );
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(40);
  expect(await countOf("submission")).toBe(40);
});

test.each([
  ["an unknown board", { board: "duoble" }, "not_found", 'board "duoble" not found; did you mean double?'],
  ["an unknown board without similar names", { board: "zzzzzz" }, "not_found", 'board "zzzzzz" not found'],
  [
    "an unknown target",
    { targets: ["cpu", "MI300"] },
    "unprocessable",
    'the board double has no target "MI300"; it has cpu, H100',
  ],
  ["an empty file", { source: "  \n" }, "unprocessable", "the file is empty"],
  [
    "a huge file",
    { source: "x".repeat(1_000_001) },
    "too_large",
    "the file is larger than 1,000,000 bytes, the maximum for a source",
  ],
  ["a binary file", { source: "\0ELF" }, "unprocessable", "the file is binary, not text: it contains NUL bytes"],
  [
    "a language that the problem does not take",
    { fileName: "kernel.cpp" },
    "unprocessable",
    'double takes .py files on cpu; the extension of "kernel.cpp" is not accepted',
  ],
  [
    "a path for a file name",
    { fileName: "../evil.py" },
    "unprocessable",
    'the file name "../evil.py" must not contain a path',
  ],
])("rejects %s with an explanation and stores nothing", async (_, change, code, message) => {
  await expect(submit(database, ann, request(change))).rejects.toMatchObject({ code, message });
  expect([await countOf("submission"), await countOf("run"), await countOf("code")]).toEqual([0, 0, 0]);
});

test("rejects a target that a later version of the problem dropped", async () => {
  const files = problemFiles((task) => task.replace("cpu: {}, ", ""));
  await syncProblems(database, problemTree({ "set/double": files }));
  await expect(submit(database, ann, request())).rejects.toThrow('the board double has no target "cpu"; it has H100');
});

test("rejects a token without the scope", async () => {
  const reader = await person(database, "reader", ["read"]);
  await expect(submit(database, reader, request())).rejects.toMatchObject({ code: "forbidden" });
});
