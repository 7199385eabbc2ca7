/** Late entries of organisers, in every step: acceptance, ranking, marks, audit log, and the popcorn client's route. */
import { expect, test } from "vitest";
import { LateEntryRequest } from "@kernelbot/core";
import { inHours, made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { claimed, passing, person, ranked, reported, request } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readBoard } from "../boards/boards.ts";
import { ban } from "../moderation/ban.ts";
import { changeCompetition } from "../competitions/change.ts";
import { STRANGER } from "../auth/visibility.ts";
import { enterLate } from "./late-entry.ts";
import { submit } from "./submit.ts";
import { readSubmission } from "./views.ts";

useScene();
useOrganiser();

const entry = (change: Partial<LateEntryRequest> = {}): LateEntryRequest => {
  const { board, targets, fileName, source } = request({ board: "triple" });
  return { board, targets, fileName, source, account: "ANN", reason: "was ill", ...change };
};

/** Creates a competition that ended now. */
async function ended(change: Parameters<typeof spec>[0] = {}): Promise<void> {
  await made({ startsAt: inHours(-2), endsAt: inHours(1), ...change });
  await changeCompetition(database, olga, spec({ startsAt: inHours(-2), endsAt: new Date().toISOString(), ...change }));
}

test("a late entry counts on the board, marked, and leaves a record", async () => {
  await ended();
  await expect(submit(database, ann, request({ board: "triple", mode: "ranked" }))).rejects.toThrow("was closed at");
  const { submission } = await enterLate(database, olga, entry());
  expect(submission).toMatchObject({ account: ann.account, enteredBy: olga.account, mode: "ranked" });
  expect(await readSubmission(database, submission.id)).toMatchObject({ enteredBy: olga.account });
  await reported(database, box, await claimed(database, box), passing("ranked"));
  const { rows } = await readBoard(database, STRANGER, "triple", "cpu");
  expect(rows).toMatchObject([{ account: ann.account, submissionId: submission.id, lateEntry: true }]);
  const audited = await database.db.selectFrom("audit").selectAll().where("act", "=", "late_entry").execute();
  expect(audited).toMatchObject([
    {
      account_id: olga.account.id,
      subject: `submission ${submission.id}`,
      detail: { account: ann.account.id, reason: "was ill" },
    },
  ]);
});

test("entries of before the deadline have no mark", async () => {
  await made();
  await ranked(database, ann, box, 100, { board: "triple" });
  const [row] = (await readBoard(database, STRANGER, "triple", "cpu")).rows;
  expect(row).not.toHaveProperty("lateEntry");
});

test("a late entry requires the organiser of a competition that has ended", async () => {
  await made();
  await expect(enterLate(database, olga, entry())).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringMatching(/accepts submissions until .*; ask ANN to submit, after an extension/) as string,
  });
  await changeCompetition(database, olga, spec({ startsAt: inHours(-2), endsAt: new Date().toISOString() }));
  const other = await person(database, "otto", ["submit", "read", "admin"]);
  await expect(enterLate(database, ann, entry())).rejects.toMatchObject({ code: "forbidden" });
  await database.db
    .updateTable("account")
    .set({ assigned_roles: ["organiser"] })
    .where("id", "=", other.account.id)
    .execute();
  const otto = { ...other, roles: ["organiser" as const] };
  await expect(enterLate(database, otto, entry())).rejects.toThrow("otto does not organise spring");
  await expect(enterLate(database, olga, entry({ account: "missing" }))).rejects.toMatchObject({ code: "not_found" });
  await expect(enterLate(database, olga, entry({ board: "nothing" }))).rejects.toMatchObject({ code: "not_found" });
});

test("everything but the deadline applies to a late entry", async () => {
  await ended({ limits: { rankedPerHour: 1 }, targets: ["cpu"], participants: "members" });
  await expect(enterLate(database, olga, entry())).rejects.toThrow(/members/);
  await changeCompetition(
    database,
    olga,
    spec({ startsAt: inHours(-2), endsAt: inHours(-1), limits: { rankedPerHour: 1 }, targets: ["cpu"] }),
  );
  await expect(enterLate(database, olga, entry({ targets: ["H100"] }))).rejects.toThrow("which ranks it on cpu");
  await enterLate(database, olga, entry());
  await expect(enterLate(database, olga, entry())).rejects.toMatchObject({ code: "too_many_requests" });
  await ban(database, root, { account: "bob", reason: "a copy" });
  await expect(enterLate(database, olga, entry({ account: bob.account.name }))).rejects.toThrow("is banned");
});
