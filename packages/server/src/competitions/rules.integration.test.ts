/**
 * Rules of a competition file other than its dates, as enforced by intake: boards, ends of problems, participants,
 * limits.
 */
import { expect, test } from "vitest";
import type { SubmitRequest } from "@kernelbot/core";
import { readBoard } from "../boards/boards.ts";
import { openDatabase } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { submit } from "../submissions/submit.ts";
import { readReceipt } from "../runs/receipts.ts";
import { inHours, join, made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { claimed, JUDGE_FAILED, passing, ranked, reported, request, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { STRANGER } from "../auth/visibility.ts";
import { changeCompetition } from "./change.ts";
import { readCompetition } from "./competitions.ts";
import { createTeam } from "./teams.ts";

useScene();
useOrganiser();

async function secondServer() {
  const opened = await openDatabase({ url: database.url });
  return { ...opened, [Symbol.asyncDispose]: () => opened.close() };
}

const submits = (who: Identity, change: Partial<SubmitRequest> = {}, idempotencyKey?: string) =>
  submit(database, who, request({ board: "triple", mode: "ranked", ...change }), { idempotencyKey });

test("stores the rules as given, and removing a problem keeps its data", async () => {
  const rules = spec({
    ...{ targets: ["cpu"], participants: "members", limits: { rankedPerHour: 2, testConcurrent: 5 } },
    ...{ freezeAt: inHours(0.5), revealAt: inHours(2) },
    problems: [
      { name: "double", targets: ["cpu", "H100"], endsAt: inHours(0.7), limits: { testPerHour: 3 } },
      "triple",
    ],
  });
  await made({ ...rules });
  expect(await readCompetition(database, STRANGER, "spring")).toEqual({ ...rules, organisers: [olga.account] });
  await changeCompetition(database, olga, spec({ problems: ["triple"] }));
  const double = await database.db.selectFrom("problem").selectAll().where("name", "=", "double").executeTakeFirst();
  expect(double).toMatchObject({ competition: null, targets: null, ends_at: null });
  expect(await readCompetition(database, STRANGER, "spring")).toMatchObject({ targets: null, limits: {} });
});

test("ranked submissions go only to boards of the competition, other modes to all", async () => {
  await made({ targets: ["cpu"], problems: [{ name: "double", targets: ["H100"] }, "triple"] });
  await expect(submits(ann, { targets: ["cpu", "H100"] })).rejects.toMatchObject({
    code: "conflict",
    message:
      "triple on H100 is not a board of spring, which ranks it on cpu; modes test and benchmark remain available",
  });
  await expect(submits(ann, { board: "double", targets: ["cpu"] })).rejects.toThrow("which ranks it on H100");
  await submits(ann, { targets: ["cpu"] });
  await submits(ann, { board: "double", targets: ["H100"] });
  await submits(ann, { mode: "test", targets: ["cpu", "H100"] });
});

test("a board outside the competition is empty while its problem belongs to it", async () => {
  await ranked(database, ann, box, 100, { board: "triple", targets: ["cpu"] });
  await made({ targets: ["H100"], startsAt: "2020-01-01T00:00:00Z" });
  const onBoard = async () => (await readBoard(database, STRANGER, "triple", "cpu")).rows.length;
  expect(await onBoard()).toBe(0);
  await changeCompetition(database, olga, spec({ problems: [] }));
  expect(await onBoard()).toBe(1);
});

test("each problem's boards end at its own time, with receipts", async () => {
  await made({ problems: [{ name: "double", endsAt: inHours(0.5) }, "triple"] });
  const [early, late] = [
    await ranked(database, ann, box, 100, { board: "double" }),
    await ranked(database, ann, box, 100, { board: "triple" }),
  ];
  const endsAt = new Date().toISOString();
  await changeCompetition(database, olga, spec({ problems: [{ name: "double", endsAt }, "triple"] }));
  await expect(submits(ann, { board: "double" })).rejects.toThrow(`the board double was closed at ${endsAt}`);
  await submits(ann);
  const seedOf = async (submissionId: number) => {
    const run = await database.db
      .selectFrom("run")
      .select("id")
      .where("submission_id", "=", submissionId)
      .executeTakeFirstOrThrow();
    return (await readReceipt(database, STRANGER, run.id))?.seed;
  };
  expect(await seedOf(early)).toMatch(/^[0-9a-f]{64}$/);
  expect(await seedOf(late)).toBeNull();
});

test("in a members-only competition others can view, and learn how to join", async () => {
  await made({ participants: "members", teamSize: 2 });
  for (const mode of ["test", "ranked"] as const) {
    await expect(submits(ann, { mode })).rejects.toMatchObject({
      code: "forbidden",
      message: "only members can submit to spring; join it with an invite code",
    });
  }
  await expect(createTeam(database, ann, "spring", "Fast ones")).rejects.toMatchObject({ code: "forbidden" });
  expect((await readBoard(database, ann, "triple", "cpu")).rows).toEqual([]);
  await join(ann);
  await createTeam(database, ann, "spring", "Fast ones");
  await submits(ann);
  await submits(olga);
});

test("limits an account's submissions of a mode per hour, and returns when the next is accepted", async () => {
  await made({ limits: { rankedPerHour: 2 }, problems: ["double", "triple"] });
  const { submission } = await submits(ann, { board: "double" });
  await submits(ann);
  const nextAt = `${new Date(Date.parse(submission.createdAt) + 3_600_000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const refused = await submits(ann).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: "too_many_requests",
    message: `spring: 0 of 2 ranked submissions within an hour are left; the next is accepted at ${nextAt}`,
  });
  const { retryAfterS } = refused as { retryAfterS: number };
  expect(retryAfterS).toBeGreaterThan(3500);
  expect(retryAfterS).toBeLessThanOrEqual(3600);
  await submits(ann, { mode: "test" });
  await submits(bob);
  await database.sql`update submission set created_at = now() - interval '61 minutes' where id = ${submission.id}`;
  await submits(ann);
  await expect(submits(ann)).rejects.toMatchObject({ code: "too_many_requests" });
});

test("runs that could not be judged do not count against a limit; cancelled and failed ones do", async () => {
  await made({ limits: { rankedPerHour: 1 } });
  await submits(ann);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await reported(database, box, await claimed(database, box), JUDGE_FAILED);
  }
  await submits(ann);
  await reported(database, box, await claimed(database, box), passing("ranked"));
  await expect(submits(ann)).rejects.toMatchObject({ code: "too_many_requests" });
});

test("limits apply to concurrent submissions, and repeated requests count once", async () => {
  await made({ limits: { rankedPerHour: 3 } });
  const keys = Array.from({ length: 8 }, (_, n) => `key-${n % 5}`);
  const sent = await Promise.allSettled(keys.map((key) => submits(ann, {}, key)));
  const taken = sent.flatMap((one) => (one.status === "fulfilled" ? [one.value.submission.id] : []));
  expect(new Set(taken).size).toBe(3);
  const first = keys[sent.findIndex(({ status }) => status === "fulfilled")];
  expect(await submits(ann, {}, first)).toMatchObject({ created: false });
  expect(await database.sql`select count(*)::integer as n from submission`).toEqual([{ n: 3 }]);
});

test("two servers that commit concurrently enforce one limit", async () => {
  await made({ limits: { rankedPerHour: 1 } });
  await using other = await secondServer();
  const both = [database, other].map((server) =>
    submit(server, ann, request({ board: "triple", mode: "ranked" })).then(
      () => "taken",
      (error: unknown) => (error as { code: string }).code,
    ),
  );
  expect((await Promise.all(both)).toSorted()).toEqual(["taken", "too_many_requests"]);
  await submitted(database, ann, { board: "double", mode: "ranked" });
});
