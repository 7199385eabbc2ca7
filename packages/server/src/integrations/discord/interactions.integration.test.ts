import { beforeEach, expect, test } from "vitest";
import { sql } from "kysely";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";
import { ANN, linked, openDiscordScene, ROOT, type DiscordScene } from "@kernelbot/testing/discord/discord.ts";
import { database, root, useScene } from "@kernelbot/testing/scene.ts";
import type { UserAction } from "@kernelbot/testing/discord/interaction-body.ts";

useScene();

let scene: DiscordScene;
beforeEach(async () => {
  scene = await openDiscordScene(database);
  return () => scene[Symbol.asyncDispose]();
});

const ping = () => ({ user: ANN, command: "ping" });

test("accepts a PING over HTTP only with a signature of the application's key", async () => {
  await using testServer = await openTestServer({ discord: scene.bot });
  const post = ({ body, signature, timestamp }: ReturnType<typeof scene.fake.signed>) => {
    const headers = { "x-signature-ed25519": signature ?? "", "x-signature-timestamp": timestamp ?? "" };
    return testServer.ask("/api/v1/discord/interactions", undefined, {
      method: "POST",
      headers,
      body: Buffer.from(body),
    });
  };
  const signed = scene.fake.signed({ type: 1 });
  const answered = await post(signed);
  expect([answered.status, await answered.json()]).toEqual([200, { type: 1 }]);
  const changed = { ...signed, body: Buffer.from('{"type":1 }') };
  const old = scene.fake.signed({ type: 1 }, new Date(Date.now() - 10 * 60_000));
  const unsigned = { ...signed, signature: undefined };
  const odd = { ...signed, signature: "zz".repeat(64) };
  for (const wrong of [changed, old, unsigned, odd, { ...signed, timestamp: "1e9" }]) {
    expect((await post(wrong)).status).toBe(401);
  }
  expect((await post(scene.fake.signed({ type: 99 }))).status).toBe(422);
});

test("a server without a bot responds with 404", async () => {
  await using testServer = await openTestServer();
  const answered = await testServer.ask("/api/v1/discord/interactions", undefined, { method: "POST" });
  expect(answered.status).toBe(404);
});

test("every server rejects a replayed interaction", async () => {
  const other = await scene.another(database);
  const { token, body } = scene.fake.interaction(ping());
  const signed = scene.fake.signed(body);
  scene.fake.acknowledge(token, await scene.bot.interact(signed));
  await expect(scene.bot.interact(signed)).rejects.toMatchObject({ code: "conflict" });
  await expect(other.interact(signed)).rejects.toMatchObject({ code: "conflict" });
  await scene.runPending();
  expect(scene.fake.answers(token).map(({ content }) => content)).toEqual(["pong"]);
  await other.close();
});

test("an edit that arrives before the first response is retried", async () => {
  const { token, body } = scene.fake.interaction(ping());
  const response = await scene.bot.interact(scene.fake.signed(body));
  const requestsBefore = scene.fake.requests.length;
  while (scene.fake.requests.length === requestsBefore) await new Promise(setImmediate);
  scene.fake.acknowledge(token, response);
  await scene.runPending();
  expect(scene.fake.answers(token).map(({ content }) => content)).toEqual(["pong"]);
});

test("with a slow database, interactions get a response within three seconds and run later", async () => {
  await linked(database, ROOT, root);
  const [held, free] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const slow = database.db.transaction().execute(async (transaction) => {
    await sql`lock table discord_interaction, problem`.execute(transaction);
    held.resolve(undefined);
    await free.promise;
  });
  await held.promise;
  const send = async (action: UserAction) => {
    const begunAt = performance.now();
    const { token, body } = scene.fake.interaction(action);
    const signed = scene.fake.signed(body);
    const response = await scene.bot.interact(signed);
    expect(performance.now() - begunAt).toBeLessThan(2500);
    scene.fake.acknowledge(token, response);
    return { token, response, signed };
  };
  const options = { leaderboard_name: "double" };
  const [{ token, response, signed }, window, typed] = await Promise.all([
    send(ping()),
    send({ user: ROOT, command: "admin delete-leaderboard", options }),
    send({ user: ANN, command: "leaderboard show", options, typing: "leaderboard_name" }),
  ]);
  expect(response).toMatchObject({ type: 5 });
  expect(window.response).toMatchObject({ type: 4, data: { content: expect.stringContaining("try again") as string } });
  expect(typed.response).toEqual({ type: 8, data: { choices: [] } });
  // Without the database, a repeated interaction cannot be recognised yet.
  expect(await scene.bot.interact(signed)).toEqual(response);
  free.resolve(undefined);
  await slow;
  await scene.runPending();
  expect(scene.fake.answers(token).map(({ content }) => content)).toEqual(["pong"]);
  expect(scene.fake.requests.filter(({ path }) => path.includes(token))).toHaveLength(1);
});

test("a stopping server first responds to pending interactions", async () => {
  const { token, body } = scene.fake.interaction(ping());
  const other = await scene.another(database);
  scene.fake.acknowledge(token, await other.interact(scene.fake.signed(body)));
  await other.close();
  expect(scene.fake.answers(token).map(({ content }) => content)).toEqual(["pong"]);
});

test("reports when Discord rejects a response", async () => {
  const { token } = await scene.send({
    user: ANN,
    command: "leaderboard task",
    options: { leaderboard_name: "double" },
  });
  let times = 0;
  scene.fake.trouble = ({ path }) =>
    path.includes(token) && (times += 1) === 1
      ? { status: 413, body: { message: "Request entity too large", code: 40_005 } }
      : undefined;
  await scene.runPending();
  expect(scene.fake.answers(token)[0]?.content).toMatch(/Discord rejected the response.*Request entity too large/);
});

test("reports an unknown command and an outdated button", async () => {
  await expect(scene.send({ user: ANN, command: "leaderboard gone" })).rejects.toMatchObject({ code: "not_found" });
  const { token, response } = await scene.send({ user: ANN, command: "ping" });
  expect(response).toMatchObject({ type: 5 });
  await scene.runPending();
  const [shown] = scene.fake.answers(token);
  shown?.parts.push({ custom_id: "constructor:1" });
  await scene.ask({ user: ANN, press: "constructor:1" });
  expect(shown?.content).toMatch(/from an older version of the bot/);
});
