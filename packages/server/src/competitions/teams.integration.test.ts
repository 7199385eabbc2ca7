import { expect, test } from "vitest";
import { readBoard } from "../boards/boards.ts";
import type { Identity } from "../auth/identity.ts";
import { ban } from "../moderation/ban.ts";
import { removeAny } from "../moderation/remove.ts";
import { rerunSubmission } from "../moderation/rerun.ts";
import { made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { claimed, passing, person, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { STRANGER } from "../auth/visibility.ts";
import { changeCompetition } from "./change.ts";
import { joinTeam, leaveTeam, listTeams, createTeam, removeFromTeam, renameTeam } from "./teams.ts";

useScene();
useOrganiser();

/** Returns the rows of the board as name and time. */
async function rows(): Promise<[string, number][]> {
  const board = await readBoard(database, STRANGER, "triple", "cpu");
  return board.rows.map((row) => [row.team?.name ?? row.account.name, row.timeNs.value]);
}

const submit = (who: Identity, timeNs: number) => ranked(database, who, box, timeNs, { board: "triple" });

/** Creates a team of Ann's and returns its code. */
async function team(name = "Fast ones", size = 3): Promise<string> {
  await made({ teamSize: size });
  return (await createTeam(database, ann, "spring", name)).code as string;
}

const members = async () =>
  (await listTeams(database, STRANGER, "spring")).map((each) => [each.name, each.members.map(({ name }) => name)]);

test("a team has one row: the best of its members' submissions since they joined, who have no rows of their own", async () => {
  const code = await team();
  await submit(bob, 50);
  await submit(ann, 300);
  expect(await rows()).toEqual([
    ["bob", 50],
    ["Fast ones", 300],
  ]);
  await joinTeam(database, bob, "spring", code);
  expect(await rows()).toEqual([["Fast ones", 300]]);
  await submit(bob, 200);
  expect(await rows()).toEqual([["Fast ones", 200]]);
  const [row] = (await readBoard(database, STRANGER, "triple", "cpu")).rows;
  expect(row).toMatchObject({ account: bob.account, team: { name: "Fast ones", members: [ann.account, bob.account] } });
});

test("a member can leave until they have a ranked run in the team, and then gets their earlier runs back", async () => {
  const code = await team();
  await submit(bob, 50);
  await joinTeam(database, bob, "spring", code);
  await submitted(database, bob, { board: "triple", mode: "test" });
  await leaveTeam(database, bob, "spring");
  expect(await rows()).toEqual([["bob", 50]]);
  expect(await members()).toEqual([["Fast ones", ["ann"]]]);
  await submitted(database, ann, { board: "triple", mode: "ranked" });
  await expect(leaveTeam(database, ann, "spring")).rejects.toMatchObject({ code: "conflict" });
  await expect(leaveTeam(database, bob, "spring")).rejects.toThrow("you are not in a team of spring");
});

test("a team is deleted with its last member, and its name becomes free", async () => {
  await team();
  await leaveTeam(database, ann, "spring");
  expect(await members()).toEqual([]);
  await createTeam(database, bob, "spring", "fast ones");
});

test("an organiser removes a member: ranked runs stay with the team, later ones are individual, and the code changes", async () => {
  const code = await team();
  await joinTeam(database, bob, "spring", code);
  await submit(bob, 100);
  await expect(removeFromTeam(database, ann, "spring", "bob")).rejects.toMatchObject({ code: "forbidden" });
  await removeFromTeam(database, olga, "spring", "bob");
  await submit(bob, 200);
  expect(await rows()).toEqual([
    ["Fast ones", 100],
    ["bob", 200],
  ]);
  expect(await members()).toEqual([["Fast ones", ["ann"]]]);
  await expect(joinTeam(database, bob, "spring", code)).rejects.toMatchObject({ code: "not_found" });
  const [entry] =
    await database.sql`select act, detail ->> 'account' as who from audit where subject like 'member of team%'`;
  expect(entry).toEqual({ act: "remove", who: bob.account.id });
  await expect(removeFromTeam(database, root, "spring", "bob")).rejects.toMatchObject({ code: "not_found" });
});

test("submissions of banned members and removed submissions do not count; re-runs count for the team", async () => {
  await joinTeam(database, bob, "spring", await team());
  const [slow, fast] = [await submit(ann, 300), await submit(ann, 200)];
  await submit(bob, 100);
  await ban(database, root, { account: "bob", reason: "sold its token" });
  expect(await rows()).toEqual([["Fast ones", 200]]);
  await removeAny(database, root, fast, { reason: "a copy" });
  expect(await rows()).toEqual([["Fast ones", 300]]);
  await rerunSubmission(database, root, slow);
  await reported(database, box, await claimed(database, box), passing("ranked", [310, 310]));
  const [row] = (await readBoard(database, STRANGER, "triple", "cpu")).rows;
  expect(row).toMatchObject({
    verification: "confirmed",
    timeNs: { value: 310 },
    enteredBy: { timeNs: { value: 300 } },
  });
});

test("of two concurrent joins for the last place one succeeds, and no account is in two teams", async () => {
  const code = await team("Fast ones", 2);
  const cem = await person(database, "cem");
  const outcomes = await Promise.allSettled([bob, cem].map((who) => joinTeam(database, who, "spring", code)));
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const late = outcomes[0]?.status === "rejected" ? bob : cem;
  await expect(joinTeam(database, late, "spring", code)).rejects.toThrow(
    "the team is full: teams of spring have at most 2 members",
  );
  await createTeam(database, late, "spring", "Others");
  await expect(joinTeam(database, late, "spring", code)).rejects.toThrow("you are already in a team of spring");
  await expect(createTeam(database, ann, "spring", "More")).rejects.toThrow("you are already in a team of spring");
});

test("only members see the team's code, and joining again changes nothing", async () => {
  const code = await team();
  expect(code).toMatch(/^[0-9a-f]{32}$/);
  const codes = async (who: Identity | undefined) =>
    (await listTeams(database, who, "spring")).map((each) => each.code);
  expect([await codes(ann), await codes(bob), await codes(STRANGER), await codes(root)]).toEqual([
    [code],
    [null],
    [null],
    [null],
  ]);
  expect((await joinTeam(database, ann, "spring", code)).members).toEqual([ann.account]);
});

test("a name belongs to one team, and must not be another account's", async () => {
  await team();
  await expect(createTeam(database, bob, "spring", "FAST ONES")).rejects.toThrow(
    'a team already has the name "FAST ONES"',
  );
  await expect(createTeam(database, bob, "spring", "Ann")).rejects.toThrow('an account already has the name "Ann"');
  await expect(createTeam(database, bob, "spring", "\u202Eteam")).rejects.toMatchObject({ code: "unprocessable" });
  await createTeam(database, bob, "spring", "Bob");
  await expect(renameTeam(database, bob, "spring", "Fast Ones")).rejects.toMatchObject({ code: "conflict" });
  expect((await renameTeam(database, ann, "spring", "FAST ones")).name).toBe("FAST ones");
});

test("teams exist until the end, in competitions with teams, for accounts that can access them", async () => {
  await made({ visibility: "closed" });
  await expect(createTeam(database, ann, "spring", "Fast ones")).rejects.toMatchObject({ code: "not_found" });
  await expect(listTeams(database, ann, "spring")).rejects.toMatchObject({ code: "not_found" });
  await changeCompetition(database, olga, spec());
  await expect(createTeam(database, ann, "spring", "Fast ones")).rejects.toThrow("spring does not have teams");
  await changeCompetition(database, olga, spec({ teamSize: 2, endsAt: new Date(Date.now() - 1000).toISOString() }));
  await expect(createTeam(database, ann, "spring", "Fast ones")).rejects.toThrow("spring has ended");
});

test("an account must wait after ten incorrect codes", async () => {
  const code = await team();
  for (let digit = 0; digit < 10; digit += 1) {
    await expect(joinTeam(database, bob, "spring", String(digit).repeat(32))).rejects.toMatchObject({
      code: "not_found",
    });
  }
  await expect(joinTeam(database, bob, "spring", code)).rejects.toMatchObject({ code: "too_many_requests" });
});
