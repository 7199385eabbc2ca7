import { expect, test } from "vitest";
import type { InviteLinkRequest } from "@kernelbot/core";
import { made, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { person } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readAudit } from "../auth/audit.ts";
import { authenticateSession } from "../auth/sessions.ts";
import { readCompetition } from "./competitions.ts";
import { createInviteLink, joinByLink, listInviteLinks, registerByLink, revokeInviteLink } from "./invite-links.ts";

useScene();
useOrganiser();

const BROWSER = { address: "192.0.2.1", userAgent: "Browser/1" };

async function link(change: Partial<InviteLinkRequest> = {}) {
  await made({ visibility: "closed" });
  return createInviteLink(database, olga, "spring", { maxUses: 3, days: 14, ...change });
}

test("a link registers accounts and admits existing ones, up to its limit, and lists who joined", async () => {
  const { secret } = await link();
  const { session, competition } = await registerByLink(database, secret, "Zoë", BROWSER);
  const zoe = await authenticateSession(database, session);
  expect(competition).toBe("spring");
  expect(zoe).toMatchObject({ account: { name: "Zoë" }, roles: [], scopes: ["submit", "read", "account"] });
  expect(await joinByLink(database, ann, secret)).toEqual({ competitions: ["spring"] });
  expect(await readCompetition(database, ann, "spring")).not.toBeNull();
  const [listed] = await listInviteLinks(database, olga, "spring");
  expect(listed).toMatchObject({ maxUses: 3, createdBy: olga.account, revokedAt: null });
  expect(listed?.uses.map(({ account, registered }) => [account.name, registered])).toEqual([
    ["Zoë", true],
    ["ann", false],
  ]);
});

test("concurrent uses do not exceed the limit, and refused registrations leave no account", async () => {
  const { secret } = await link();
  const names = Array.from({ length: 8 }, (_, number) => `student ${number}`);
  const outcomes = await Promise.allSettled(names.map((name) => registerByLink(database, secret, name, BROWSER)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  const refused = outcomes.find((outcome) => outcome.status === "rejected");
  expect(String(refused?.reason)).toContain("has been used by 3 people, which is its limit");
  const created = await database.sql`select 1 from account where name like 'student %'`;
  expect(created).toHaveLength(3);
});

test("an account uses a link up once, and members and organisers do not use it up", async () => {
  const { secret } = await link({ maxUses: 1 });
  await joinByLink(database, olga, secret);
  await Promise.all([1, 2, 3].map(() => joinByLink(database, ann, secret)));
  await expect(joinByLink(database, bob, secret)).rejects.toMatchObject({ code: "conflict" });
  expect(await joinByLink(database, ann, secret)).toEqual({ competitions: ["spring"] });
});

test("an expired or revoked link admits no one; members remain", async () => {
  const { secret, id } = await link();
  await joinByLink(database, ann, secret);
  await revokeInviteLink(database, olga, "spring", id);
  await expect(joinByLink(database, bob, secret)).rejects.toThrow("this invite link was revoked; ask the organiser");
  expect(await readCompetition(database, ann, "spring")).not.toBeNull();
  const other = await createInviteLink(database, olga, "spring", { maxUses: 3, days: 1 });
  await database.sql`update invite_link set expires_at = now()`;
  await expect(registerByLink(database, other.secret, "eve", BROWSER)).rejects.toThrow("has expired");
  await expect(joinByLink(database, bob, "A".repeat(43))).rejects.toMatchObject({ code: "not_found" });
});

test("stores only the hash of the secret, and the audit log has no secret either", async () => {
  const { secret, id } = await link();
  await joinByLink(database, ann, secret);
  await revokeInviteLink(database, olga, "spring", id);
  const rows = await database.sql`select row_to_json(l)::text as link from invite_link l`;
  const log = await readAudit(database, root, { limit: 3 });
  expect(JSON.stringify([rows, log])).not.toContain(secret);
  expect(log.map(({ act, account }) => [act, account.name])).toEqual([
    ["revoke-invite-link", "olga"],
    ["use-invite-link", "ann"],
    ["invite-link", "olga"],
  ]);
});

test("only organisers of the competition create, list and revoke its links", async () => {
  const { id } = await link();
  const otto = await person(database, "otto", ["admin"], ["organiser"]);
  const request = { maxUses: 1, days: 1 };
  for (const [who, code] of [
    [otto, "not_found"],
    [ann, "forbidden"],
  ] as const) {
    await expect(createInviteLink(database, who, "spring", request)).rejects.toMatchObject({ code });
    await expect(listInviteLinks(database, who, "spring")).rejects.toMatchObject({ code });
    await expect(revokeInviteLink(database, who, "spring", id)).rejects.toMatchObject({ code });
  }
});

test.each([
  ["ann", "conflict"],
  ["b0b", "conflict"],
  ["admin", "unprocessable"],
  ["", "unprocessable"],
  ["a\u202Eb", "unprocessable"],
])("rejects the name %j, and does not use the link up", async (name, code) => {
  const { secret } = await link({ maxUses: 1 });
  await expect(registerByLink(database, secret, name, BROWSER)).rejects.toMatchObject({ code });
  await registerByLink(database, secret, "zoe", BROWSER);
});
