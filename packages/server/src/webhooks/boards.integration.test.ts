import { afterEach, beforeEach, expect, test } from "vitest";
import type { NewWebhook, RankChanged } from "@kernelbot/core";
import { revokeInvite } from "../competitions/invites.ts";
import { ban, unban } from "../moderation/ban.ts";
import { removeAny, restore } from "../moderation/remove.ts";
import { join, made, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { person, ranked } from "@kernelbot/testing/fixtures.ts";
import { openReceiver, type Receiver } from "@kernelbot/testing/receiver.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { listDeliveries } from "./log.ts";
import { emptyOutbox } from "./outbox.ts";
import { delivered, hooked } from "@kernelbot/testing/webhooks.ts";

useScene();
useOrganiser();

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

const watch = (change: Partial<NewWebhook> = {}, who = ann) =>
  hooked(database, who, receiver, { events: ["board.rank_changed"], ...change });
const DOUBLE = { boards: [{ board: "double", target: "cpu" }] };

/** Sends all deliveries, and returns the changes in each since the last call. */
async function sendAndReadChanges(): Promise<string[][]> {
  await delivered(database);
  return receiver.received.splice(0).map(({ body }) => {
    const { data } = JSON.parse(body) as { data: RankChanged };
    return data.changes.map(({ account, oldRank, newRank }) => `${account.name} ${oldRank} ${newRank}`);
  });
}

test("a webhook for a board gets new, overtaking, removed and restored entries", async () => {
  const first = await ranked(database, ann, box, 300);
  await watch(DOUBLE, await person(database, "watcher"));
  expect(await sendAndReadChanges()).toEqual([]);
  await ranked(database, bob, box, 400);
  expect(await sendAndReadChanges()).toEqual([["bob null 2"]]);
  await ranked(database, bob, box, 200);
  expect(await sendAndReadChanges()).toEqual([["bob 2 1", "ann 1 2"]]);
  await removeAny(database, root, first, { reason: "a copy" });
  expect(await sendAndReadChanges()).toEqual([["ann 2 null"]]);
  await restore(database, root, first, { reason: "it was not" });
  expect(await sendAndReadChanges()).toEqual([["ann null 2"]]);
  await ban(database, root, { account: "bob", reason: "spam" });
  expect(await sendAndReadChanges()).toEqual([["ann 2 1", "bob 1 null"]]);
  await unban(database, root, { account: "bob", reason: "paid" });
  expect(await sendAndReadChanges()).toEqual([["bob null 1", "ann 1 2"]]);
});

test("a run that changes no rank sends nothing", async () => {
  await ranked(database, ann, box, 300);
  await watch(DOUBLE);
  await ranked(database, ann, box, 400);
  await ranked(database, ann, box, 200);
  expect(await sendAndReadChanges()).toEqual([]);
});

test("without boards, a webhook gets changes of its owner's rows on any board", async () => {
  await ranked(database, ann, box, 300);
  await watch();
  await ranked(database, bob, box, 200);
  await ranked(database, bob, box, 200, { board: "triple" });
  expect(await sendAndReadChanges()).toEqual([["ann 1 2"]]);
  await ranked(database, ann, box, 300, { board: "triple" });
  expect(await sendAndReadChanges()).toEqual([["ann null 2"]]);
});

test("several changes of a board are delivered once", async () => {
  await watch(DOUBLE);
  await ranked(database, ann, box, 300);
  await ranked(database, bob, box, 400);
  await ranked(database, bob, box, 200);
  expect(await sendAndReadChanges()).toEqual([["bob null 1", "ann null 2"]]);
});

test("two servers deliver a change once", async () => {
  await watch(DOUBLE);
  await ranked(database, ann, box, 300);
  await Promise.all([1, 2, 3].map(() => emptyOutbox(database, new Date())));
  expect(await sendAndReadChanges()).toEqual([["ann null 1"]]);
  const left = await database.sql`select from webhook_outbox`;
  expect(left).toEqual([]);
});

test("a closed board is delivered only to members, and pending deliveries to former members fail", async () => {
  await made({ visibility: "closed" });
  const board = { boards: [{ board: "triple", target: "cpu" }] };
  await expect(watch(board, bob)).rejects.toThrow('the board "triple" does not exist');
  const code = await join(bob);
  const { webhook } = await watch(board, bob);
  await join(ann);
  await ranked(database, ann, box, 300, { board: "triple" });
  expect(await sendAndReadChanges()).toEqual([["ann null 1"]]);
  await ranked(database, olga, box, 100, { board: "triple" });
  await emptyOutbox(database, new Date());
  await revokeInvite(database, olga, code);
  expect(await sendAndReadChanges()).toEqual([]);
  const log = await listDeliveries(database, bob, webhook.id, { limit: 10 });
  expect(log.map(({ state }) => state)).toEqual(["failed", "delivered"]);
  await ranked(database, ann, box, 50, { board: "triple" });
  expect(await sendAndReadChanges()).toEqual([]);
  expect(await listDeliveries(database, bob, webhook.id, { limit: 10 })).toHaveLength(2);
});

test("a competition webhook gets all events while its owner is an organiser", async () => {
  await made({ visibility: "closed" });
  await join(ann);
  const events: NewWebhook["events"] = ["submission.finished", "board.rank_changed"];
  await hooked(database, olga, receiver, { events, competition: "spring" });
  await ranked(database, ann, box, 300, { board: "triple" });
  await ranked(database, ann, box, 300, { board: "double" });
  await delivered(database);
  expect(receiver.received.splice(0).map(({ body }) => JSON.parse(body) as object)).toMatchObject([
    { type: "submission.finished", data: { account: ann.account, board: "triple" } },
    { type: "board.rank_changed", data: { board: "triple", changes: [{ account: ann.account, newRank: 1 }] } },
  ]);
  await database.sql`update competition set visibility = 'public'`;
  await database.sql`delete from competition_organiser`;
  await ranked(database, ann, box, 200, { board: "triple" });
  await ranked(database, bob, box, 100, { board: "triple" });
  await delivered(database);
  expect(receiver.received).toEqual([]);
});

test("where boards show pseudonyms, only the owner gets the account, and ranks of their own rows", async () => {
  await made({ names: "pseudonyms" });
  const events: NewWebhook["events"] = ["submission.finished", "board.rank_changed"];
  await hooked(database, olga, receiver, { events, competition: "spring" });
  await using own = await openReceiver();
  await hooked(database, ann, own, { events });
  await ranked(database, ann, box, 300, { board: "triple" });
  await delivered(database);
  const shown = expect.stringMatching(/^anon-/) as string;
  const account = { id: shown, name: shown };
  const payloads = ({ received }: Receiver) => received.splice(0).map(({ body }) => JSON.parse(body) as object);
  const changed = { type: "board.rank_changed", data: { changes: [{ account, newRank: 1 }] } };
  expect(payloads(receiver)).toMatchObject([{ type: "submission.finished", data: { account } }, changed]);
  expect(payloads(own)).toMatchObject([{ type: "submission.finished", data: { account: ann.account } }, changed]);
});

test("only organisers can register a webhook for a competition", async () => {
  await made();
  const otto = await person(database, "otto", ["submit", "read", "admin"], ["organiser"]);
  for (const who of [ann, otto, root]) {
    await expect(watch({ competition: "spring" }, who)).rejects.toMatchObject({ code: "forbidden" });
  }
});
