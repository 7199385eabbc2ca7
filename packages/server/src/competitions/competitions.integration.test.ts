import { expect, test } from "vitest";
import type { Identity } from "../auth/identity.ts";
import { readBoard } from "../boards/boards.ts";
import { submit } from "../submissions/submit.ts";
import { closeProblem } from "../problems/close.ts";
import { retireProblem } from "../problems/retire.ts";
import { readReceipt } from "../runs/receipts.ts";
import { claimed, passing, person, ranked, reported, request, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { STRANGER } from "../auth/visibility.ts";
import { changeCompetition, createCompetition } from "./change.ts";
import { listCompetitions, listOrganised, readCompetition, readOrganised } from "./competitions.ts";
import { requireFreeOrOwn } from "./organisers.ts";
import { inHours, made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";

useScene();
useOrganiser();

const rankedOn = (board: string) => submit(database, ann, request({ board, mode: "ranked" }));

/** Returns the accounts on the board of `triple`. */
async function onBoard(): Promise<string[]> {
  return (await readBoard(database, STRANGER, "triple", "cpu")).rows.map(({ account }) => account.name);
}

test("creates a competition as specified, organised by its creator", async () => {
  const rules = spec();
  const competition = await createCompetition(database, olga, rules);
  expect(competition).toEqual({ ...rules, organisers: [olga.account] });
  expect(await readCompetition(database, STRANGER, "spring")).toEqual(competition);
});

test("lists current and upcoming competitions first, ended ones last", async () => {
  await made({ name: "past", startsAt: inHours(-9), endsAt: inHours(-8), problems: [] });
  await made({ name: "later", startsAt: inHours(5), endsAt: inHours(9), problems: [] });
  await made();
  expect((await listCompetitions(database, STRANGER)).map(({ name }) => name)).toEqual(["spring", "later", "past"]);
});

test("an update replaces everything, and keeps the organisers if it names none", async () => {
  await made();
  const changed = await changeCompetition(database, olga, spec({ title: "Summer", problems: ["double"] }));
  expect(changed).toMatchObject({ title: "Summer", problems: [{ name: "double" }], organisers: [olga.account] });
});

test("only organisers and administrators change it, and the audit log records who did", async () => {
  const otto = await person(database, "otto", ["admin"], ["organiser"]);
  await made();
  await expect(createCompetition(database, ann, spec({ name: "mine" }))).rejects.toMatchObject({ code: "forbidden" });
  for (const who of [ann, otto]) {
    await expect(changeCompetition(database, who, spec())).rejects.toMatchObject({ code: "forbidden" });
  }
  await changeCompetition(database, root, spec({ organisers: ["otto"] }));
  await changeCompetition(database, otto, spec());
  await expect(changeCompetition(database, olga, spec())).rejects.toThrow("olga does not organise spring");
  const acts = await database.db.selectFrom("audit").select(["account_id", "act", "subject"]).orderBy("id").execute();
  expect(acts.map(({ account_id, act }) => [account_id, act])).toEqual([
    [olga.account.id, "create"],
    [root.account.id, "change"],
    [otto.account.id, "change"],
  ]);
  expect(new Set(acts.map(({ subject }) => subject))).toEqual(new Set(["competition spring"]));
});

test.each([
  ["missing", 'account "missing" not found'],
  ["ann", 'the account "ann" does not have the role organiser'],
])("%s cannot become an organiser", async (name, words) => {
  await expect(made({ organisers: [name] })).rejects.toThrow(words);
});

test("an organiser lists their competitions, an administrator all, newest first", async () => {
  const otto = await person(database, "otto", ["admin"], ["organiser"]);
  await made({ visibility: "closed" });
  await createCompetition(database, otto, spec({ name: "later", startsAt: inHours(0.5), problems: [] }));
  const names = async (who: Identity) => (await listOrganised(database, who)).map(({ name }) => name);
  expect(await names(olga)).toEqual(["spring"]);
  expect(await names(otto)).toEqual(["later"]);
  expect(await names(root)).toEqual(["later", "spring"]);
  await expect(names(ann)).rejects.toMatchObject({ code: "forbidden" });
  expect((await readOrganised(database, olga, "spring")).name).toBe("spring");
  await expect(readOrganised(database, otto, "spring")).rejects.toMatchObject({ code: "not_found" });
  await expect(readOrganised(database, olga, "later")).rejects.toMatchObject({ code: "forbidden" });
});

test("a name is unique, and nothing of a rejected request is stored", async () => {
  await made();
  await expect(made({ problems: ["double"] })).rejects.toMatchObject({ code: "conflict" });
  await expect(made({ name: "autumn", problems: ["double", "none"] })).rejects.toThrow('problem "none" not found');
  expect((await listCompetitions(database, root)).map(({ name, problems }) => [name, problems])).toEqual([
    ["spring", [{ name: "triple", targets: null, endsAt: null }]],
  ]);
});

test("a problem is in at most one competition, and can be added again after it leaves", async () => {
  await made();
  const autumn = { name: "autumn", problems: ["triple"] };
  await expect(made(autumn)).rejects.toThrow("the problem triple is already in the competition spring");
  await changeCompetition(database, olga, spec({ problems: [] }));
  expect((await made(autumn)).problems).toEqual([{ name: "triple", targets: null, endsAt: null }]);
});

test("rejects ranked submissions before the start and after the end with the time; other modes are accepted", async () => {
  const { startsAt } = await made({ startsAt: inHours(1), endsAt: inHours(2) });
  await expect(rankedOn("triple")).rejects.toMatchObject({
    code: "conflict",
    message: `the board triple opens at ${startsAt} and does not accept ranked submissions before; modes test and benchmark remain available`,
  });
  const { endsAt } = await changeCompetition(database, olga, spec({ startsAt: inHours(-2), endsAt: inHours(-1) }));
  await expect(rankedOn("triple")).rejects.toMatchObject({
    code: "conflict",
    message: `the board triple was closed at ${endsAt} and no longer accepts ranked submissions; modes test and benchmark remain available`,
  });
  await submitted(database, ann, { board: "triple", mode: "benchmark" });
  await rankedOn("double");
});

test("a run submitted in time counts although it is judged after the end; runs from before the start do not", async () => {
  await ranked(database, bob, box, 100, { board: "triple" });
  await made();
  await database.sql`update run set created_at = now() - interval '2 hours'`;
  await rankedOn("triple");
  await changeCompetition(database, olga, spec({ startsAt: inHours(-1), endsAt: new Date().toISOString() }));
  await reported(database, box, await claimed(database, box), passing("ranked"));
  expect(await onBoard()).toEqual(["ann"]);
});

test("the end reveals receipt seeds; postponing the end hides them and accepts submissions again", async () => {
  await made();
  await rankedOn("triple");
  const run = await claimed(database, box);
  await reported(database, box, run, passing("ranked"));
  const seed = async () => (await readReceipt(database, STRANGER, run.runId))?.seed;
  expect(await seed()).toBeNull();
  await changeCompetition(database, olga, spec({ endsAt: new Date().toISOString() }));
  expect(await seed()).toMatch(/^[0-9a-f]{64}$/);
  await changeCompetition(database, olga, spec({ endsAt: inHours(3) }));
  expect(await seed()).toBeNull();
  await rankedOn("triple");
});

test("a permanently closed problem stays closed in a competition", async () => {
  await made();
  await closeProblem(database, olga, "triple");
  await changeCompetition(database, olga, spec({ endsAt: inHours(3) }));
  await expect(rankedOn("triple")).rejects.toThrow("was closed at");
});

test("an organiser closes, retires and opens problems of their competitions, and cannot close practice problems", async () => {
  const otto = await person(database, "otto", ["admin"], ["organiser"]);
  await made();
  await expect(closeProblem(database, otto, "triple")).rejects.toMatchObject({ code: "forbidden" });
  await expect(closeProblem(database, olga, "double")).rejects.toMatchObject({ code: "forbidden" });
  await expect(retireProblem(database, otto, "triple", { force: true })).rejects.toMatchObject({ code: "forbidden" });
  await expect(requireFreeOrOwn(database.db, otto, "triple")).rejects.toThrow(
    "in a competition that otto does not organise",
  );
  await requireFreeOrOwn(database.db, olga, "triple");
  for (const free of ["double", "nothing"]) await requireFreeOrOwn(database.db, otto, free);
  await retireProblem(database, olga, "triple", { force: true });
});
