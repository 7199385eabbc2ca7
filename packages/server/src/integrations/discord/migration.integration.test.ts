import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { buildSnapshot } from "../../dataset/build-snapshot.ts";
import { buildSnapshots } from "../../dataset/build.ts";
import { openHuggingFace } from "../huggingface/hugging-face.ts";
import { publishSnapshots } from "../../dataset/publish/publish.ts";
import { readAudit } from "../../auth/audit.ts";
import {
  ANN,
  BOB,
  linked,
  openDiscordScene,
  PUBLIC_URL,
  ROOT,
  type DiscordScene,
} from "@kernelbot/testing/discord/discord.ts";
import { olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { endedSpring } from "@kernelbot/testing/datasets.ts";
import { startFakeHub } from "@kernelbot/testing/fake-hub.ts";
import { ann, bob, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { MAX_FILE_BYTES } from "./protocol.ts";

useScene();
useOrganiser();

let scene: DiscordScene;
beforeEach(async () => {
  scene = await openDiscordScene(database);
  await Promise.all([linked(database, ANN, ann), linked(database, BOB, bob), linked(database, ROOT, root)]);
  return () => scene[Symbol.asyncDispose]();
});
afterEach(() => expect(scene.fake.pings).toEqual([]));

const ask = (command: string, options = {}) => scene.ask({ user: ROOT, command: `admin ${command}`, options });
const give = (command: string, text: string | Buffer, name = "given.json") =>
  ask(command, { file: scene.fake.attach(name, text) });
const manyRows = (rows: number) => `{${Array.from({ length: rows }, (_, n) => `"${n}":"x"`).join(",")}}`;
const namesHere = async () => (await database.sql`select name from account order by name`).map((row) => row["name"]);

describe("get-user-names and update-user-names", () => {
  test("update-user-names accepts the file of get-user-names, changed or unchanged", async () => {
    const { content, files } = await ask("get-user-names");
    expect(content).toMatch(/^The names of 3 Discord users\./);
    expect(files.map(({ name }) => name)).toEqual(["user_names.json"]);
    const names = JSON.parse(files[0]?.text ?? "") as Record<string, string>;
    expect(names).toEqual({ [ANN.id]: "ann", [BOB.id]: "bob", [ROOT.id]: "root" });
    expect((await give("update-user-names", files[0]?.text ?? "")).content).toBe(
      "0 accounts renamed, 3 unchanged, 0 refused.",
    );
    const renamed = await give("update-user-names", `\ufeff${JSON.stringify({ ...names, [ANN.id]: "Anna" })}`);
    expect(renamed.content).toBe(
      `1 account renamed, 2 unchanged, 0 refused.\n\`\`\`\n${ANN.id}: "ann" is now "Anna"\n\`\`\``,
    );
    const log = await readAudit(database, root, { limit: 10 });
    expect(log.map(({ act }) => act)).toEqual(["rename", "read names"]);
  });

  test("an invalid row is reported and does not affect other rows", async () => {
    const hostile = { [ANN.id]: "``` @everyone <@1>\n# x", [BOB.id]: "robert", "99": "x", [ROOT.id]: "ANN" };
    const { content } = await give("update-user-names", JSON.stringify(hostile));
    expect(content).toMatch(/^1 account renamed, 0 unchanged, 3 refused\./);
    expect(content).toContain(`${BOB.id}: "bob" is now "robert"`);
    expect(content).toContain("99: this Discord account is not linked to an account on this server");
    expect(content).toContain(`${ROOT.id}: an account already has the name "ANN"; choose another name`);
    expect(content.match(/```/g)).toHaveLength(2);
    expect(content.split("\n")).toHaveLength(7);
  });

  test("a report longer than a message is attached as a file", async () => {
    const rows = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [String(1000 + n), "x"]));
    const { content, files } = await give("update-user-names", JSON.stringify(rows));
    expect(content).toBe("0 accounts renamed, 0 unchanged, 200 refused. See the attached file.");
    expect(files[0]?.name).toBe("renamed.txt");
    expect(files[0]?.text.split("\n")).toHaveLength(201);
  });

  test.each([
    ["invalid JSON", "{", /"given.json": not valid UTF\\-8 JSON/],
    ["invalid UTF-8", Buffer.from([0xff, 0xfe, 0x00]), /not valid UTF\\-8 JSON/],
    ["a list", '["ann"]', /must be a JSON object/],
    ["no entries", "{}", /the file has no entries/],
    ["a name that is not a string", '{"42": "Anna", "43": 7}', /"43": the name must be a string/],
    ["an invalid user id", '{"42": "Anna", "ann": "x"}', /"ann": use the Discord id/],
    ["the key __proto__", '{"42": "Anna", "__proto__": "x"}', /\\_\\_proto\\_\\_": use the Discord id/],
    ["too many rows", manyRows(100_001), /the file has 100,001 rows; the limit is 100,000/],
    ["too many bytes", Buffer.alloc(MAX_FILE_BYTES + 1, " "), /too large: the limit is 8\.000 MiB/],
  ])("a file with %s changes nothing", async (_, text, why) => {
    const before = await namesHere();
    const { content } = await give("update-user-names", text);
    expect(content).toMatch(why);
    expect(content).toMatch(/^⚠️ /);
    expect(await namesHere()).toEqual(before);
    expect((await give("set-forum-ids", text)).content).toMatch(/^⚠️ /);
  });

  test("file names are escaped", async () => {
    const { content } = await give("update-user-names", "{", "**@everyone**\n# x.json");
    expect(content).toMatch(/^⚠️ "\\\*\\\*@\u200beveryone/);
    expect(content).not.toContain("\n");
  });
});

describe("set-forum-ids", () => {
  const FORUM = "401";
  const post = (id: string, change = {}) => {
    const message = { id, content: "as it was", files: [], parts: [], ephemeral: false, nonce: undefined };
    return scene.fake.channel(id, { name: id, parent: FORUM, messages: [message], ...change });
  };
  const firstMessage = (id: string): string | undefined => scene.fake.channels.get(id)?.messages[0]?.content;
  const posts = () =>
    database.sql<{ problem: string; thread_id: string }>`select problem, thread_id from discord_post order by problem`;
  const setForumIds = (ids: object) => give("set-forum-ids", JSON.stringify(ids));

  beforeEach(async () => {
    scene.fake.channel(FORUM);
    await database.sql`insert into discord_guild (id, forum_channel) values ('100', ${FORUM})`;
  });

  test("existing posts are assigned to leaderboards and rewritten", async () => {
    post("500");
    post("501", { archived: true });
    const { content } = await setForumIds({ double: "500", Triple: "501" });
    expect(content).toBe(
      "2 posts assigned, 0 refused. The bot rewrites them within a minute.\n```\ndouble: assigned post 500\ntriple: assigned post 501\n```",
    );
    await scene.runPending();
    expect(firstMessage("500")).toContain("**New leaderboard: `double`**");
    expect(firstMessage("501")).toContain("**New leaderboard: `triple`**");
    expect(scene.fake.threadsOf(FORUM)).toHaveLength(2);
    expect(await readAudit(database, root, { act: "set-forum-ids", limit: 2 })).toMatchObject([
      { subject: "discord 100", detail: { double: "500", triple: "501" } },
    ]);
  });

  test("a post that the bot cannot edit or that is not in the forum is refused without affecting others", async () => {
    post("500");
    post("501", { owner: "7" });
    post("502", { parent: "400" });
    post("503", { guild: "101" });
    scene.fake.trouble = ({ path }) =>
      path === "/channels/504" ? { status: 403, body: { message: "Missing Access", code: 50_001 } } : undefined;
    const ids = { double: "500", triple: "501", "``` @everyone": "502", DOUBLE: "505" };
    const { content } = await setForumIds(ids);
    expect(content).toMatch(/^1 post assigned, 3 refused\./);
    expect(content).toContain("double: assigned post 500");
    expect(content).toContain('"triple": the bot cannot edit post 501, because another user created it');
    expect(content).toMatch(/@everyone": board .* not found/);
    expect(content).toContain('"DOUBLE": duplicate leaderboard or post in the file');
    const reasons = [];
    for (const id of ["502", "503", "504", "505"])
      reasons.push((await setForumIds({ triple: id })).content.split("\n")[2]);
    expect(reasons).toEqual([
      '"triple": post 502 is not in the forum of this server',
      '"triple": post 503 is not in the forum of this server',
      '"triple": Discord responded with 403 (code 50001): Missing Access',
      '"triple": post 505 does not exist on Discord',
    ]);
  });

  test("a replaced post is archived, and a board that lost its post gets a new one", async () => {
    await scene.runPending();
    const made = Object.fromEntries((await posts()).map((row) => [row.problem, row.thread_id]));
    post("500");
    const { content } = await setForumIds({ double: "500" });
    expect(content).toContain(`double: assigned post 500; archived the previous post ${made["double"]}`);
    await scene.runPending();
    expect(scene.fake.channels.get(made["double"] ?? "")?.archived).toBe(true);
    expect(scene.fake.threadsOf(FORUM)).toHaveLength(3);
    const moved = await setForumIds({ triple: "500" });
    expect(moved.content).toContain("double: lost its post to another leaderboard");
    await scene.runPending();
    expect(firstMessage("500")).toContain("`triple`");
    const [double, triple] = await posts();
    expect(triple).toEqual({ problem: "triple", thread_id: "500" });
    expect(firstMessage(double?.thread_id ?? "")).toContain("`double`");
  });

  test("two leaderboards can swap posts", async () => {
    post("500");
    post("501");
    await setForumIds({ double: "501", triple: "500" });
    expect((await setForumIds({ double: "500", triple: "501" })).content).not.toMatch(/archived|another/);
    expect(await posts()).toEqual([
      { problem: "double", thread_id: "500" },
      { problem: "triple", thread_id: "501" },
    ]);
  });

  test("requires a server with a forum, and ids as strings because JSON numbers are inexact", async () => {
    expect((await setForumIds({ double: 500 })).content).toMatch(/"double": use the Discord id, as a string/);
    await database.sql`update discord_guild set forum_channel = null`;
    expect((await setForumIds({ double: "500" })).content).toMatch(/has no forum channel; set it with/);
    const file = scene.fake.attach("posts.json", "{}");
    const direct = await scene.ask({ user: ROOT, guild: null, command: "admin set-forum-ids", options: { file } });
    expect(direct.content).toMatch(/in the Discord server to configure/);
  });
});

describe("export-hf", () => {
  test("requests a snapshot of all ended competitions and its publication", async () => {
    await endedSpring(database, olga);
    const { content } = await ask("export-hf");
    expect(content).toBe(
      `Snapshot **1** of 1 competition is being built and will be published to Hugging Face. Progress: <${PUBLIC_URL}/data/1>`,
    );
    expect(await database.sql`select snapshot_id, destination, state from dataset_publication`).toEqual([
      { snapshot_id: 1, destination: "hugging_face", state: "waiting" },
    ]);
    // While the snapshot is being made, a second request returns the same one.
    expect((await ask("export-hf")).content).toBe(content);
    await using hub = await startFakeHub();
    const directory = await mkdtemp(join(inject("scratch"), "snapshots-"));
    await buildSnapshots(database, directory, { source: PUBLIC_URL, build: buildSnapshot });
    await publishSnapshots(database, directory, {
      destinations: [openHuggingFace(hub.options)],
      signal: new AbortController().signal,
      clock: () => new Date(Date.now() + 1000),
    });
    expect([...(hub.commits.at(-1)?.files.keys() ?? [])]).toContain("spring/submissions.parquet");
    expect(await database.sql`select state, message from dataset_publication`).toEqual([
      { state: "done", message: null },
    ]);
    const log = await readAudit(database, root, { limit: 10 });
    expect(log.map(({ act }) => act).toSorted()).toEqual(expect.arrayContaining(["export", "publish"]));
  });

  test("reports a missing ended competition or missing Hugging Face options", async () => {
    expect((await ask("export-hf")).content).toMatch(/no public competition has ended/);
    await using without = await openDiscordScene(database, { hasHub: false });
    const { content } = await without.ask({ user: ROOT, command: "admin export-hf" });
    expect(content).toMatch(/does not publish to Hugging Face; set KERNELBOT/);
  });
});
