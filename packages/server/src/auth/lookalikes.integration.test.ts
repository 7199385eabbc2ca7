import { expect, test } from "vitest";
import { person } from "@kernelbot/testing/fixtures.ts";
import { ann, database, useScene } from "@kernelbot/testing/scene.ts";
import { rename } from "./accounts.ts";
import { newAccount } from "./identities.ts";
import { fillSkeletons, skeletonOf } from "./lookalikes.ts";
import { createAccount } from "./tokens.ts";

useScene();

test("similar-looking names have the same skeleton", () => {
  for (const [one, other] of [
    ["coco", "\u0441\u043e\u0441\u043e"],
    ["Olga", "O1ga"],
    ["mary", "rnary"],
  ] as const)
    expect(skeletonOf(one)).toBe(skeletonOf(other));
  expect(skeletonOf("ada")).not.toBe(skeletonOf("bob"));
});

test("rejects a name that looks like another account's, but lets that account keep or change it", async () => {
  const coco = await person(database, "coco");
  const cyrillic = "\u0441\u043e\u0441\u043e";
  await expect(createAccount(database, cyrillic)).rejects.toThrow(/looks like that of the account "coco"/);
  const withAccountScope = { ...ann, scopes: [...ann.scopes, "account" as const] };
  await expect(rename(database, withAccountScope, cyrillic)).rejects.toThrow(/looks like that of the account "coco"/);
  await rename(database, { ...coco, scopes: [...coco.scopes, "account"] }, "C0co");
  const id = await database.db.transaction().execute((transaction) => newAccount(transaction, cyrillic));
  expect(await database.sql`select name from account where id = ${id}`).toEqual([{ name: `${cyrillic}-2` }]);
});

test("compares accounts created before skeletons were stored, once a server has started", async () => {
  await database.sql`insert into account (name) values ('coco')`;
  await fillSkeletons(database);
  await expect(createAccount(database, "c0co")).rejects.toThrow(/looks like/);
});
