import { expect, test } from "vitest";
import type { Identity } from "./identity.ts";
import { ann, bob, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { authenticateSession, beginSession, endSession, listSessions } from "./sessions.ts";
import { deleteExpiredSignIns } from "./delete-expired.ts";

useScene();

const BROWSER = { address: "192.0.2.1", userAgent: "Browser/1 \u202E\x1b[2J" };

function begin({ account }: Identity): Promise<string> {
  return database.db.transaction().execute((transaction) => beginSession(transaction, account.id, BROWSER));
}

test("a session authenticates its account, with the scope admin only if the account has a role", async () => {
  expect(await authenticateSession(database, await begin(ann))).toMatchObject({
    account: ann.account,
    scopes: ["submit", "read", "account"],
    tokenId: null,
  });
  expect((await authenticateSession(database, await begin(root)))?.scopes).toContain("admin");
});

test.each(["", "x", "A".repeat(43), `${"A".repeat(43)}\0`])(
  "the cookie %j authenticates no account",
  async (cookie) => {
    expect(await authenticateSession(database, cookie)).toBeNull();
  },
);

test("the database stores no session secret", async () => {
  const secret = await begin(ann);
  expect(JSON.stringify(await database.sql`select session::text as row from session`)).not.toContain(secret);
});

test("a session expires after 14 days without use", async () => {
  const secret = await begin(ann);
  await database.sql`update session set expires_at = expires_at - interval '14 days'`;
  expect(await authenticateSession(database, secret)).toBeNull();
});

test("a session in use is extended up to 90 days from its start", async () => {
  const secret = await begin(ann);
  const left = async () => {
    await database.sql`update session set last_used_at = now() - interval '1 hour'`;
    await authenticateSession(database, secret);
    const [row] = await database.sql<{ days: number }>`
      select round(extract(epoch from expires_at - now()) / 86400)::int as days from session`;
    return row?.days;
  };
  await database.sql`update session set expires_at = now() + interval '1 day', created_at = now() - interval '13 days'`;
  expect(await left()).toBe(14);
  await database.sql`update session set created_at = now() - interval '80 days', ends_at = ends_at - interval '80 days'`;
  expect(await left()).toBe(10);
});

test("lists and ends only the caller's sessions", async () => {
  const secret = await begin(ann);
  const here = (await authenticateSession(database, secret)) as Identity;
  await begin(ann);
  const sessions = await listSessions(database, here);
  expect(sessions.map(({ current }) => current).toSorted()).toEqual([false, true]);
  expect(sessions[0]).toMatchObject({ address: "192.0.2.1", browser: "Browser/1 [2J" });
  await expect(endSession(database, bob, here.sessionId as number)).rejects.toMatchObject({ code: "not_found" });
  await endSession(database, ann, here.sessionId as number);
  expect(await authenticateSession(database, secret)).toBeNull();
  expect(await listSessions(database, ann)).toHaveLength(1);
});

test("keeps at most 20 sessions of an account and ends the least recently used", async () => {
  const first = await begin(ann);
  for (let count = 0; count < 20; count += 1) await begin(ann);
  expect(await listSessions(database, ann)).toHaveLength(20);
  expect(await authenticateSession(database, first)).toBeNull();
});

test("the sweep deletes only expired rows", async () => {
  await begin(ann);
  await database.sql`update session set expires_at = now() - interval '1 second'`;
  const secret = await begin(ann);
  await deleteExpiredSignIns(database);
  expect(await database.sql`select 1 from session`).toHaveLength(1);
  expect(await authenticateSession(database, secret)).not.toBeNull();
});
