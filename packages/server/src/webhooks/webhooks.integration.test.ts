import { expect, test } from "vitest";
import { NewWebhook } from "@kernelbot/core";
import { ban } from "../moderation/ban.ts";
import { person } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { createWebhook, deleteWebhook, listWebhooks, pauseWebhook, resumeWebhook, testWebhook } from "./webhooks.ts";

useScene();

const PUBLIC = { allowPrivate: false };
const newWebhook = (change: object = {}) =>
  NewWebhook.parse({ url: "https://example.org/hook", events: ["submission.finished"], ...change });

test("a webhook is listed as registered, and its secret is returned once", async () => {
  const boards = [{ board: "double", target: "cpu" }];
  const input = newWebhook({ events: ["submission.finished", "board.rank_changed"], boards });
  const { webhook, secret } = await createWebhook(database, ann, input, PUBLIC);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(webhook).toMatchObject({ ...input, state: "active", pauseReason: null, failures: 0 });
  const listed = await listWebhooks(database, ann);
  expect(listed).toEqual([webhook]);
  expect(JSON.stringify(listed)).not.toContain(secret);
});

test("another account can neither see nor change it", async () => {
  const { webhook } = await createWebhook(database, ann, newWebhook(), PUBLIC);
  expect(await listWebhooks(database, bob)).toEqual([]);
  for (const act of [pauseWebhook, resumeWebhook, testWebhook, deleteWebhook]) {
    for (const who of [bob, root]) {
      await expect(act(database, who, webhook.id)).rejects.toThrow(
        `webhook ${webhook.id} does not exist or is not yours`,
      );
    }
  }
  expect(await listWebhooks(database, ann)).toEqual([webhook]);
});

test("the limit of ten webhooks holds for concurrent requests", async () => {
  const all = await Promise.allSettled(
    Array.from({ length: 13 }, () => createWebhook(database, ann, newWebhook(), PUBLIC)),
  );
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
  await expect(createWebhook(database, ann, newWebhook(), PUBLIC)).rejects.toMatchObject({ code: "conflict" });
});

test("a private address is rejected at registration", async () => {
  const input = newWebhook({ url: "https://169.254.169.254/latest" });
  await expect(createWebhook(database, ann, input, PUBLIC)).rejects.toMatchObject({ code: "unprocessable" });
});

test("registration requires the scope account, and rejects banned accounts", async () => {
  const submitter = await person(database, "submitter", ["submit", "read"]);
  await expect(createWebhook(database, submitter, newWebhook(), PUBLIC)).rejects.toThrow("lacks the scope account");
  await ban(database, root, { account: "bob", reason: "spam" });
  const banned = { ...bob, banReason: "spam" };
  await expect(createWebhook(database, banned, newWebhook(), PUBLIC)).rejects.toThrow("is banned: spam");
});
