import { beforeEach, expect, test } from "vitest";
import type { Identity } from "./identity.ts";
import { ann as annByToken, bob as bobByToken, database, useScene } from "@kernelbot/testing/scene.ts";
import { linkIdentity, listIdentities, signIn, unlinkIdentity } from "./identities.ts";
import type { ProviderUser } from "./providers.ts";
import { authenticateSession } from "./sessions.ts";

useScene();

let ann: Identity;
let bob: Identity;
beforeEach(() => {
  [ann, bob] = [annByToken, bobByToken].map((who): Identity => ({ ...who, scopes: ["account"] })) as [
    Identity,
    Identity,
  ];
});

const BROWSER = { address: "192.0.2.1", userAgent: "Browser/1" };
const ADA: ProviderUser = { provider: "github", subject: "42", name: "ada" };

async function accountOf(vouched: ProviderUser) {
  const identity = await authenticateSession(database, await signIn(database, vouched, BROWSER));
  return identity?.account;
}

test("the first sign-in creates an account with the provider's name; the next finds it after a rename", async () => {
  const first = await accountOf(ADA);
  expect(first?.name).toBe("ada");
  expect(await accountOf({ ...ADA, name: "countess" })).toEqual(first);
  expect(await listIdentities(database, first?.id ?? "")).toMatchObject([{ subject: "42", label: "countess" }]);
});

test("the same id at another provider is another account", async () => {
  const [github, discord] = [await accountOf(ADA), await accountOf({ ...ADA, provider: "discord" })];
  expect(github?.id).not.toBe(discord?.id);
  expect([github?.name, discord?.name]).toEqual(["ada", "ada-2"]);
});

test("two concurrent first sign-ins create one account", async () => {
  const accounts = await Promise.all([1, 2, 3, 4].map(() => accountOf(ADA)));
  expect(new Set(accounts.map((account) => account?.id)).size).toBe(1);
});

test.each([
  ["ANN", "ANN-2"],
  ["ａｎｎ", "ann-2"],
  ["ann\u200b", "ann-2"],
  ["\u3164", "participant"],
  ["Administrator", "Administrator-2"],
])("an identity named %j gets the account name %j, so that it cannot impersonate another", async (name, shown) => {
  expect((await accountOf({ ...ADA, name }))?.name).toBe(shown);
});

test("rejects linking an identity of another account", async () => {
  await linkIdentity(database, ann, ADA);
  await linkIdentity(database, ann, ADA);
  expect(await accountOf(ADA)).toEqual(ann.account);
  await expect(linkIdentity(database, bob, ADA)).rejects.toThrow("this GitHub account opens another account here");
  expect(await listIdentities(database, bob.account.id)).toEqual([]);
});

test("unlinks the caller's identities except the last one", async () => {
  await linkIdentity(database, ann, ADA);
  await linkIdentity(database, ann, { ...ADA, provider: "google" });
  await expect(unlinkIdentity(database, bob, ADA)).rejects.toThrow("no such GitHub account is linked to your account");
  const both = await Promise.allSettled([
    unlinkIdentity(database, ann, ADA),
    unlinkIdentity(database, ann, { ...ADA, provider: "google" }),
  ]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(await listIdentities(database, ann.account.id)).toHaveLength(1);
});

test("a banned account can sign in and read, but not link", async () => {
  const account = await accountOf(ADA);
  await database.db
    .updateTable("account")
    .set({ banned_at: new Date(), ban_reason: "sold its kernel" })
    .where("id", "=", account?.id ?? "")
    .execute();
  const identity = await authenticateSession(database, await signIn(database, ADA, BROWSER));
  expect(identity?.banReason).toBe("sold its kernel");
  if (identity === null) throw new Error("not signed in");
  await expect(linkIdentity(database, identity, { ...ADA, subject: "43" })).rejects.toThrow(
    "is banned: sold its kernel",
  );
});
