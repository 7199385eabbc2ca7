import { expect, test } from "vitest";
import { person } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readCompetition } from "./competitions.ts";
import { claimInvite, createInvites, listInvites, revokeInvite } from "./invites.ts";
import { invite, join, made, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";

useScene();
useOrganiser();

/** Returns whether the closed competition is visible to this account. */
const isMember = async (who = ann, name = "spring") => (await readCompetition(database, who, name)) !== null;

test("each 128-bit code admits one account to all its competitions, and can be claimed again by that account", async () => {
  await made({ visibility: "closed" });
  await made({ name: "autumn", visibility: "closed", problems: [] });
  const made3 = await createInvites(database, olga, { competitions: ["spring", "autumn"], count: 3 });
  expect(new Set(made3.codes).size).toBe(3);
  for (const code of made3.codes) expect(code).toMatch(/^[0-9a-f]{32}$/);
  const [code = ""] = made3.codes;
  expect(await isMember()).toBe(false);
  const joined = { competitions: ["autumn", "spring"] };
  expect(await claimInvite(database, ann, code)).toEqual(joined);
  expect(await claimInvite(database, ann, code)).toEqual(joined);
  await expect(claimInvite(database, bob, code)).rejects.toMatchObject({ code: "conflict" });
  expect([await isMember(), await isMember(ann, "autumn"), await isMember(bob)]).toEqual([true, true, false]);
});

test("of two concurrent claims of a code one succeeds", async () => {
  await made({ visibility: "closed" });
  const code = await invite();
  const outcomes = await Promise.allSettled([ann, bob].map((who) => claimInvite(database, who, code)));
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect((await Promise.all([isMember(ann), isMember(bob)])).filter(Boolean)).toHaveLength(1);
});

test("organisers see which account claimed which code", async () => {
  await made({ visibility: "closed" });
  const used = await join(ann);
  const fresh = await invite();
  const list = await listInvites(database, olga, "spring");
  expect(list.map(({ code, claimedBy }) => [code, claimedBy])).toEqual([
    [fresh, null],
    [used, ann.account],
  ]);
  expect(list[1]?.claimedAt).not.toBeNull();
});

test("a revoked code admits no account and ends the access of the one that claimed it", async () => {
  await made({ visibility: "closed" });
  const [used, fresh] = [await join(ann), await invite()];
  expect(await revokeInvite(database, olga, used)).toEqual({ code: used, wasClaimed: true });
  expect(await revokeInvite(database, olga, fresh)).toEqual({ code: fresh, wasClaimed: false });
  expect(await isMember()).toBe(false);
  for (const code of [used, fresh]) {
    await expect(claimInvite(database, ann, code)).rejects.toMatchObject({ code: "not_found" });
  }
});

test("a code is managed by organisers of all its competitions", async () => {
  const otto = await person(database, "otto", ["admin"], ["organiser"]);
  await made({ visibility: "closed", organisers: ["olga", "otto"] });
  await made({ name: "autumn", visibility: "closed", problems: [] });
  const request = { competitions: ["spring", "autumn"], count: 1 };
  await expect(createInvites(database, otto, request)).rejects.toThrow('competition "autumn" not found');
  await expect(createInvites(database, ann, request)).rejects.toMatchObject({ code: "forbidden" });
  const { codes } = await createInvites(database, olga, request);
  expect(await listInvites(database, otto, "spring")).toEqual([]);
  await expect(revokeInvite(database, otto, codes[0] ?? "")).rejects.toMatchObject({ code: "not_found" });
  await expect(listInvites(database, otto, "autumn")).rejects.toMatchObject({ code: "not_found" });
  expect(await listInvites(database, root, "autumn")).toHaveLength(1);
});

test("an account must wait after ten incorrect codes, even with a correct one; other accounts are unaffected", async () => {
  await made({ visibility: "closed" });
  const code = await invite();
  const guess = (digit: number) => claimInvite(database, ann, digit.toString(16).repeat(32));
  for (let digit = 0; digit < 10; digit += 1) await expect(guess(digit)).rejects.toMatchObject({ code: "not_found" });
  const refused = claimInvite(database, ann, code);
  await expect(refused).rejects.toMatchObject({ code: "too_many_requests", retryAfterS: expect.any(Number) as number });
  await claimInvite(database, bob, code);
  await database.sql`update wrong_code set at = at - interval '1 hour'`;
  await expect(guess(1)).rejects.toMatchObject({ code: "not_found" });
  expect(await database.db.selectFrom("wrong_code").selectAll().execute()).toHaveLength(1);
});
