import { expect, test } from "vitest";
import { checkReceipt } from "@kernelbot/core";
import { readBoard } from "../boards/boards.ts";
import { readHistory } from "../boards/history.ts";
import { listBoards } from "../boards/list.ts";
import { STRANGER } from "../auth/visibility.ts";
import { readPerson } from "../people/profile.ts";
import { readReceipt } from "../runs/receipts.ts";
import { listKeys } from "../runs/signer.ts";
import { readSubmission } from "../submissions/views.ts";
import { inHours, made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { ranked } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { changeCompetition } from "./change.ts";

useScene();
useOrganiser();

const PSEUDONYM = /^anon-[0-9a-f]{12}$/;
const board = (name = "triple") => readBoard(database, STRANGER, name, "cpu");

test("boards, histories and lists show one pseudonym for each account, on all problems of the competition", async () => {
  await made({ names: "pseudonyms", problems: ["triple", "double"] });
  await ranked(database, ann, box, 200, { board: "triple" });
  await ranked(database, bob, box, 300, { board: "triple" });
  await ranked(database, ann, box, 400, { board: "double" });
  const [first, second] = (await board()).rows.map(({ account }) => account);
  expect([first?.id, second?.id]).toEqual([expect.stringMatching(PSEUDONYM), expect.stringMatching(PSEUDONYM)]);
  expect(first).toEqual({ id: first?.id, name: first?.id });
  expect(second?.id).not.toBe(first?.id);
  expect((await board("double")).rows[0]?.account).toEqual(first);
  const history = await readHistory(database, STRANGER, "triple", "cpu", [second?.id ?? "", bob.account.id]);
  expect(history.records[0]?.account).toEqual(first);
  expect(history.entrants.map(({ entrant }) => entrant)).toEqual([second]);
  const leaders = (await listBoards(database, STRANGER, { competition: "spring" })).map(({ leader }) => leader);
  expect(leaders.filter((leader) => leader !== null)).toEqual([first, first]);
});

test("another competition shows another pseudonym, and practice shows the account", async () => {
  await ranked(database, ann, box, 500, { board: "triple" });
  await made({ names: "pseudonyms", startsAt: inHours(0) });
  await made({ name: "autumn", names: "pseudonyms", problems: ["double"] });
  const practice = await database.sql<{ id: number }>`select id from submission`;
  expect((await readSubmission(database, practice[0]?.id ?? 0))?.shownAs).toBeUndefined();
  await ranked(database, ann, box, 200, { board: "triple" });
  await ranked(database, ann, box, 200, { board: "double" });
  const [spring, autumn] = [(await board()).rows[0], (await board("double")).rows[0]];
  expect(spring?.account.id).toMatch(PSEUDONYM);
  expect(autumn?.account.id).toMatch(PSEUDONYM);
  expect(autumn?.account.id).not.toBe(spring?.account.id);
});

test("the receipt is signed with the pseudonym, and the data set uses one too", async () => {
  await made({ names: "pseudonyms" });
  const id = await ranked(database, ann, box, 200, { board: "triple" });
  const submission = await readSubmission(database, id);
  expect(submission).toMatchObject({
    account: ann.account,
    shownAs: expect.stringMatching(PSEUDONYM) as unknown,
    anonymous: true,
  });
  const signed = await readReceipt(database, STRANGER, submission?.runs[0]?.id ?? 0);
  expect(signed?.receipt.account).toEqual({ id: submission?.shownAs, name: submission?.shownAs });
  if (signed === null) throw new Error("no receipt");
  const { checks } = await checkReceipt(signed, { keys: await listKeys(database) });
  expect(checks.find(({ name }) => name === "signature")).toMatchObject({ ok: true });
});

test("a person's page leaves the competition out, except for themselves and moderators", async () => {
  await made({ names: "pseudonyms" });
  await ranked(database, ann, box, 200, { board: "triple" });
  await expect(readPerson(database, bob, ann.account.id)).rejects.toMatchObject({ code: "not_found" });
  await ranked(database, ann, box, 200, { board: "double" });
  const boardsFor = async (viewer: typeof ann | undefined) =>
    (await readPerson(database, viewer, ann.account.id)).entries.map(({ board }) => board);
  for (const viewer of [undefined, bob, olga]) expect(await boardsFor(viewer)).toEqual(["double"]);
  for (const viewer of [ann, root]) expect(await boardsFor(viewer)).toEqual(["double", "triple"]);
});

test("names change until the first ranked submission, after which no problem with submissions leaves", async () => {
  await made();
  await changeCompetition(database, olga, spec({ names: "pseudonyms", problems: ["triple", "double"] }));
  await changeCompetition(database, olga, spec({ names: "accounts", problems: ["triple", "double"] }));
  await changeCompetition(database, olga, spec({ names: "pseudonyms", problems: ["triple", "double"] }));
  await ranked(database, ann, box, 200, { board: "triple" });
  const before = (await board()).rows[0]?.account;
  await expect(changeCompetition(database, olga, spec({ problems: ["triple", "double"] }))).rejects.toMatchObject({
    code: "conflict",
    message:
      "the names on the boards cannot change: triple has ranked submissions, and this would reveal who made them",
  });
  await expect(changeCompetition(database, olga, spec({ names: "pseudonyms", problems: ["double"] }))).rejects.toThrow(
    "a problem cannot leave a competition with pseudonyms: triple has ranked submissions",
  );
  await changeCompetition(database, olga, spec({ names: "pseudonyms", problems: ["triple"], title: "Spring" }));
  expect((await board()).rows[0]?.account).toEqual(before);
});

test("nothing that was ranked under a name comes under a pseudonym, or the reverse, by another start or problem", async () => {
  await ranked(database, ann, box, 200, { board: "triple" });
  const startsAt = inHours(0);
  await expect(made({ names: "pseudonyms" })).rejects.toThrow(
    "a problem cannot join a competition with pseudonyms: triple has ranked submissions",
  );
  await made({ names: "pseudonyms", startsAt });
  const change = (change: Parameters<typeof spec>[0]) =>
    changeCompetition(database, olga, spec({ names: "pseudonyms", startsAt, ...change }));
  await expect(change({ startsAt: inHours(-1) })).rejects.toThrow("the start cannot change: triple has ranked");
  await change({ problems: ["triple", "double"] });
  await change({ startsAt: inHours(0.5) });
  await change({});
  await ranked(database, bob, box, 100, { board: "triple" });
  await expect(change({ startsAt: inHours(0.5) })).rejects.toThrow("the start cannot change: triple has ranked");
  await change({ title: "Spring" });
});
