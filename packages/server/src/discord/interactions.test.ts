import { beforeEach, expect, test } from "vitest";
import { openHouse } from "../http/harness.ts";
import { ANN, openDiscordScene, type DiscordScene } from "../testing/discord.ts";
import { database } from "../testing/scene.ts";

let scene: DiscordScene;
beforeEach(async () => {
  scene = await openDiscordScene(database);
  return () => scene[Symbol.asyncDispose]();
});

const ping = () => ({ user: ANN, command: "ping" });

test("Discord's PING is answered over HTTP, signed by the application's key, and nobody else's", async () => {
  await using house = await openHouse({ discord: scene.bot });
  const post = ({ body, signature, timestamp }: ReturnType<typeof scene.fake.signed>) => {
    const headers = { "x-signature-ed25519": signature ?? "", "x-signature-timestamp": timestamp ?? "" };
    return house.ask("/api/v1/discord/interactions", undefined, { method: "POST", headers, body: Buffer.from(body) });
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

test("a server without a bot says so", async () => {
  await using house = await openHouse();
  const answered = await house.ask("/api/v1/discord/interactions", undefined, { method: "POST" });
  expect(answered.status).toBe(404);
});

test("an interaction that is told again is refused, whichever server it is told to", async () => {
  const other = await scene.another(database);
  const { token, body } = scene.fake.interaction(ping());
  const signed = scene.fake.signed(body);
  scene.fake.acknowledge(token, await scene.bot.interact(signed));
  await expect(scene.bot.interact(signed)).rejects.toMatchObject({ code: "conflict" });
  await expect(other.interact(signed)).rejects.toMatchObject({ code: "conflict" });
  await scene.attend();
  expect(scene.fake.answers(token).map(({ content }) => content)).toEqual(["pong"]);
  await other.close();
});

test("an answer that comes before Discord has heard the first one is given again", async () => {
  const { token, body } = scene.fake.interaction(ping());
  const response = await scene.bot.interact(scene.fake.signed(body));
  const asked = scene.fake.asked.length;
  while (scene.fake.asked.length === asked) await new Promise(setImmediate);
  scene.fake.acknowledge(token, response);
  await scene.attend();
  expect(scene.fake.answers(token).map(({ content }) => content)).toEqual(["pong"]);
});

test("a command that is not there any more, and a button of another time, are told of", async () => {
  await expect(scene.tell({ user: ANN, command: "leaderboard gone" })).rejects.toMatchObject({ code: "not_found" });
  const { token, response } = await scene.tell({ user: ANN, command: "ping" });
  expect(response).toMatchObject({ type: 5 });
  await scene.attend();
  const [shown] = scene.fake.answers(token);
  shown?.parts.push({ custom_id: "constructor:1" });
  await scene.ask({ user: ANN, press: "constructor:1" });
  expect(shown?.content).toMatch(/of another time/);
});
