import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "@kernelbot/testing/database.ts";
import { leaseDue } from "./lease.ts";

const LEASE = { leaseMs: 60_000, orderBy: "id" } as const;

test("a due row is leased by one caller at a time, and again when the lease has expired", async () => {
  await using database = await testDatabase();
  const { db } = database;
  await db
    .insertInto("discord_message")
    .values([1, 2, 3].map((n) => ({ channel_id: "1", content: `message ${n}` })))
    .execute();
  const now = new Date(Date.now() + 1000);
  const lease = (at: Date) => leaseDue(db, "discord_message", { ...LEASE, now: at });
  const leased = await Promise.all([lease(now), lease(now), lease(now), lease(now)]);
  expect(
    leased
      .flat()
      .map(({ content }) => content)
      .sort(),
  ).toEqual(["message 1", "message 2", "message 3"]);
  expect(await lease(now)).toEqual([]);
  const [again] = await lease(new Date(now.getTime() + LEASE.leaseMs));
  expect(again?.content).toBe("message 1");
});

test("rows that are not due, or do not meet the condition, are not leased; at most the limit is", async () => {
  await using database = await testDatabase();
  const { db } = database;
  const now = new Date(Date.now() + 1000);
  const later = new Date(now.getTime() + 1000);
  await db
    .insertInto("discord_message")
    .values([
      { channel_id: "1", content: "later", due_at: later },
      { channel_id: "2", content: "other" },
      ...[1, 2, 3].map((n) => ({ channel_id: "1", content: `message ${n}` })),
    ])
    .execute();
  const where = sql<boolean>`due.channel_id = '1'`;
  const leased = await leaseDue(db, "discord_message", {
    ...LEASE,
    now,
    where,
    limit: 2,
    set: sql`, tries = tries + 1`,
  });
  expect(leased.map(({ content, tries }) => [content, tries]).sort()).toEqual([
    ["message 1", 1],
    ["message 2", 1],
  ]);
});
