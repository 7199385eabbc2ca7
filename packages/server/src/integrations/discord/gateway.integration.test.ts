import { expect, test } from "vitest";
import { openDatabase, type Database } from "../../db/database.ts";
import { ANN, linked, PUBLIC_URL } from "@kernelbot/testing/discord/discord.ts";
import { claimed, passing, reported } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { openDiscord } from "./service.ts";
import { openFakeDiscord, type FakeDiscord } from "@kernelbot/testing/discord/fake-discord.ts";

useScene();

const store = { get: () => Promise.resolve(null) };

function open(fake: FakeDiscord, on: Database = database) {
  const resources = {
    database: on,
    store,
    publicUrl: PUBLIC_URL,
    problemsFolder: "/nowhere",
    archives: "http://127.0.0.1:9",
    hasHub: false,
  };
  return openDiscord(resources, fake.options);
}

/** Resolves when the fake receives the next matching request. */
function heard(fake: FakeDiscord, what: RegExp): Promise<void> {
  return new Promise((resolve) => {
    const before = fake.trouble;
    fake.trouble = (request) => {
      if (what.test(`${request.method} ${request.path}`)) setImmediate(resolve);
      return before(request);
    };
  });
}

test("a bot on the gateway resumes after a disconnection during a submission and reports its result", async () => {
  await using fake = await openFakeDiscord({ http: false });
  await linked(database, ANN, ann);
  const bot = await open(fake);
  await fake.gateway.connected();
  const script = fake.attach("kernel.py", "pass\n");
  const options = { script, leaderboard_name: "double", gpu: "cpu" };
  const { token, body } = fake.interaction({ user: ANN, command: "leaderboard submit test", options });
  const isShown = heard(fake, /^PATCH .*@original/);
  fake.gateway.dispatch("INTERACTION_CREATE", body);
  await isShown;
  const run = await claimed(database, box);
  fake.gateway.drop();
  // Dispatched while the bot was disconnected.
  const { token: late, body: ping } = fake.interaction({ user: ANN, command: "ping" });
  const isAnswered = heard(fake, new RegExp(`^PATCH .*${late}`));
  fake.gateway.dispatch("INTERACTION_CREATE", ping);
  const isReported = heard(fake, new RegExp(`^PATCH .*${token}/messages`));
  await reported(database, box, run, passing("test"));
  await Promise.all([isAnswered, isReported]);
  expect([fake.gateway.identified, fake.gateway.resumed]).toEqual([1, 1]);
  while (fake.answers(late)[0]?.content !== "pong") await new Promise(setImmediate);
  while (!fake.answers(token)[0]?.content.includes("✅ passed"))
    await new Promise((resolve) => setTimeout(resolve, 20));
  await bot.close();
  expect(fake.commands.map(({ name }) => name)).toContain("leaderboard");
});

test("a response whose confirmation was lost is not repeated", async () => {
  await using fake = await openFakeDiscord({ http: false });
  const bot = await open(fake);
  await fake.gateway.connected();
  const { token, body } = fake.interaction({ user: ANN, command: "ping" });
  fake.trouble = ({ path }) => {
    if (!path.endsWith("/callback") || fake.answers(token).length > 0) return undefined;
    fake.acknowledge(token, { type: 5, data: { flags: 64 } });
    return { status: 502 };
  };
  const isAnswered = heard(fake, /^PATCH .*@original/);
  fake.gateway.dispatch("INTERACTION_CREATE", body);
  await isAnswered;
  await bot.close();
  expect(fake.answers(token).map(({ content }) => content)).toEqual(["pong"]);
});

test("one of two servers is connected; when it stops, the other connects", async () => {
  await using fake = await openFakeDiscord({ http: false });
  const second = await openDatabase({ url: database.url });
  const first = await open(fake);
  await fake.gateway.connected();
  const other = await open(fake, second);
  const { token, body } = fake.interaction({ user: ANN, command: "ping" });
  const isAnswered = heard(fake, /^PATCH .*@original/);
  fake.gateway.dispatch("INTERACTION_CREATE", body);
  await isAnswered;
  await first.close();
  await fake.gateway.connected();
  expect(fake.gateway.identified).toBe(2);
  expect(fake.requests.filter(({ path }) => path.includes(token) && path.endsWith("callback"))).toHaveLength(1);
  await other.close();
  await second.close();
});
