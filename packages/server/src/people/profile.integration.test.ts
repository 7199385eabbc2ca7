import { expect, test } from "vitest";
import { changeCompetition } from "../competitions/change.ts";
import { joinTeam, createTeam } from "../competitions/teams.ts";
import { ban } from "../moderation/ban.ts";
import { join, made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { person, ranked, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { removeAny } from "../moderation/remove.ts";
import { readPerson } from "./profile.ts";

useScene();
useOrganiser();

test("a profile lists each board with rank, size and time, and the latest ranked runs", async () => {
  await ranked(database, ann, box, 500);
  const best = await ranked(database, ann, box, 200);
  await ranked(database, bob, box, 100);
  const triple = await ranked(database, ann, box, 300, { board: "triple", author: "assisted" });
  const { account, entries, recent, authors, bannedAt } = await readPerson(database, undefined, ann.account.id);
  expect({ account, bannedAt }).toEqual({ account: ann.account, bannedAt: null });
  expect(entries).toMatchObject([
    { board: "double", target: "cpu", rank: 2, of: 2, submissionId: best, own: true, team: null },
    { board: "triple", target: "cpu", rank: 1, of: 1, submissionId: triple, timeNs: { value: 300 } },
  ]);
  expect(recent.map(({ submissionId }) => submissionId)).toEqual([triple, best, best - 1]);
  expect(authors).toEqual([
    { kind: "undeclared", submissions: 2 },
    { kind: "assisted", submissions: 1 },
  ]);
});

test("records include when a faster one came, by any account", async () => {
  const first = await ranked(database, ann, box, 500);
  const second = await ranked(database, ann, box, 400);
  const other = await ranked(database, bob, box, 300);
  await ranked(database, ann, box, 350);
  const { records } = await readPerson(database, undefined, ann.account.id);
  expect(records.map(({ submissionId }) => submissionId)).toEqual([second, first]);
  expect(records.map(({ until }) => until === null)).toEqual([false, false]);
  expect(records[1]?.until).toBe(records[0]?.since);
  expect((await readPerson(database, undefined, bob.account.id)).records).toMatchObject([
    { board: "double", target: "cpu", submissionId: other, timeNs: 300, until: null },
  ]);
});

test("statistically equal times share a rank, as on the board", async () => {
  await ranked(database, bob, box, 100);
  await ranked(database, ann, box, 100);
  expect((await readPerson(database, undefined, ann.account.id)).entries).toMatchObject([{ rank: 1, of: 2 }]);
});

test("lists a year of weeks, including empty ones, without removed submissions", async () => {
  await submitted(database, ann);
  const removed = await submitted(database, ann);
  await removeAny(database, root, removed, { reason: "copied" });
  const { weeks } = await readPerson(database, undefined, ann.account.id);
  expect(weeks).toHaveLength(53);
  expect(weeks.at(-1)?.submissions).toBe(1);
  expect(weeks.slice(0, -1).every(({ submissions }) => submissions === 0)).toBe(true);
  for (const { monday } of weeks) expect(new Date(monday).getUTCDay()).toBe(1);
});

test("counts submissions by day in UTC, whatever the time zone of the database", async () => {
  const [first, second] = [await submitted(database, ann), await submitted(database, ann)];
  await submitted(database, ann);
  const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
  await database.sql`update submission set created_at = ${`${day}T23:59:59Z`}::text::timestamptz where id = ${first}`;
  await database.sql`update submission set created_at = ${`${day}T00:00:00Z`}::text::timestamptz where id = ${second}`;
  const { weeks } = await readPerson(database, undefined, ann.account.id);
  const week = weeks.find(({ submissions }) => submissions === 2);
  const at = (Date.parse(day) - Date.parse(week?.monday ?? "")) / 86_400_000;
  expect(week?.days).toEqual(Array.from({ length: 7 }, (_, index) => (index === at ? 2 : 0)));
});

test("lists the competitions in which an account submitted, to those who may see them", async () => {
  await made();
  await submitted(database, ann, { board: "triple" });
  await submitted(database, ann, { board: "triple" });
  await submitted(database, ann);
  const find = async (viewer: typeof ann | undefined) =>
    (await readPerson(database, viewer, ann.account.id)).competitions.map(({ title, submissions }) => [
      title,
      submissions,
    ]);
  expect(await find(undefined)).toEqual([["Spring kernels", 2]]);
  await changeCompetition(database, olga, spec({ visibility: "unlisted" }));
  expect(await find(undefined)).toEqual([]);
  expect(await find(ann)).toEqual([["Spring kernels", 2]]);
});

test("entries of closed and unlisted competitions are visible to members, the account itself and moderators", async () => {
  await made();
  await join(ann);
  await ranked(database, ann, box, 200);
  await ranked(database, ann, box, 300, { board: "triple" });
  const boardsFor = async (viewer: typeof ann | undefined) => {
    const { entries, recent, weeks, authors } = await readPerson(database, viewer, ann.account.id);
    expect(recent).toHaveLength(entries.length);
    expect(weeks.at(-1)?.submissions).toBe(entries.length);
    expect(authors[0]?.submissions).toBe(entries.length);
    return entries.map(({ board }) => board);
  };
  for (const visibility of ["closed", "unlisted"] as const) {
    await database.db.updateTable("competition").set({ visibility }).execute();
    for (const viewer of [undefined, bob]) expect(await boardsFor(viewer)).toEqual(["double"]);
    for (const viewer of [ann, olga, root]) expect(await boardsFor(viewer)).toEqual(["double", "triple"]);
  }
});

test("an account without visible activity is not found, like a missing one", async () => {
  await made({ visibility: "closed" });
  await join(ann);
  await ranked(database, ann, box, 300, { board: "triple" });
  const find = (viewer: typeof ann | undefined, id: string) => readPerson(database, viewer, id);
  for (const viewer of [undefined, bob]) {
    await expect(find(viewer, ann.account.id)).rejects.toThrow(`account "${ann.account.id}" not found`);
  }
  await expect(find(undefined, "missing")).rejects.toThrow('account "missing" not found');
  await expect(find(undefined, "a\0")).rejects.toMatchObject({ code: "not_found" });
  for (const viewer of [ann, olga, root]) {
    expect((await find(viewer, ann.account.id)).account.name).toBe("ann");
  }
});

test("a team's entry is shown for each member, with its submitter", async () => {
  await made({ teamSize: 2 });
  const team = await createTeam(database, ann, "spring", "Fast ones");
  await joinTeam(database, bob, "spring", team.code ?? "");
  await ranked(database, ann, box, 300, { board: "triple" });
  const entry = { board: "triple", rank: 1, of: 1, team: { name: "Fast ones" } };
  expect((await readPerson(database, undefined, ann.account.id)).entries).toMatchObject([{ ...entry, own: true }]);
  const { entries, teams } = await readPerson(database, undefined, bob.account.id);
  expect(entries).toMatchObject([{ ...entry, own: false }]);
  expect(teams).toMatchObject([{ competition: "spring", team: { name: "Fast ones" }, leftAt: null }]);
  expect(teams[0]?.members.map(({ name }) => name)).toEqual(["ann", "bob"]);
});

test("of a banned account others see only the ban", async () => {
  await ranked(database, ann, box, 100);
  await ban(database, root, { account: "ann", reason: "secret reason" });
  const seen = await readPerson(database, bob, ann.account.id);
  expect(seen.bannedAt).not.toBeNull();
  expect(seen).toMatchObject({ entries: [], recent: [], authors: [], teams: [], records: [] });
  expect(seen.weeks.every(({ submissions }) => submissions === 0)).toBe(true);
  expect(JSON.stringify(seen)).not.toContain("secret reason");
  for (const viewer of [{ ...ann, banReason: "secret reason" }, root]) {
    const { entries, recent } = await readPerson(database, viewer, ann.account.id);
    expect({ entries, recent: recent.length }).toEqual({ entries: [], recent: 1 });
  }
});

test("a profile's URL has the account id, which does not change with the name", async () => {
  const odd = await person(database, "../?name=#a b");
  await ranked(database, odd, box, 100);
  await database.db.updateTable("account").set({ name: "new" }).where("id", "=", odd.account.id).execute();
  expect((await readPerson(database, undefined, odd.account.id)).account.name).toBe("new");
});
