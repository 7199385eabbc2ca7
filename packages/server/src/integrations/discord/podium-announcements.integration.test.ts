import { beforeEach, expect, test } from "vitest";
import { CompetitionSpec } from "@kernelbot/core";
import { createCompetition } from "../../competitions/change.ts";
import { ban } from "../../moderation/ban.ts";
import { inHours } from "@kernelbot/testing/competitions.ts";
import {
  ANN,
  linked,
  openDiscordScene,
  PUBLIC_URL,
  ROOT,
  type DiscordScene,
} from "@kernelbot/testing/discord/discord.ts";
import { claimed, failing, passing, person, ranked, reported } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { podiumAnnouncements } from "./podium.ts";

useScene();

let scene: DiscordScene;
beforeEach(async () => {
  scene = await openDiscordScene(database);
  await Promise.all([linked(database, ANN, ann), linked(database, ROOT, root)]);
  for (const id of ["300", "301", "400", "401"]) scene.fake.channel(id);
  return () => scene[Symbol.asyncDispose]();
});

const setChannels = (guild: string, options: Record<string, string>) =>
  scene.ask({ user: ROOT, guild, command: "admin set-channels", options });
const messages = (channel: string): string[] =>
  scene.fake.channels.get(channel)?.messages.map(({ content }) => content) ?? [];

test("changes of the top three are announced in each configured channel, without a mention", async () => {
  await ranked(database, bob, box, 9000);
  await setChannels("100", { submissions: "300" });
  await setChannels("101", { submissions: "400" });
  // Results from before the bot was started are not announced.
  expect(messages("300")).toEqual([]);
  const mallory = await person(database, "@here *mal*");
  await ranked(database, mallory, box, 1000);
  await scene.runPending();
  expect(messages("300")).toEqual([
    "**@\u200bhere \\*mal\\*** took **#1** on `double` (`cpu`).\n**bob** lost **#1** on `double` (`cpu`).",
  ]);
  expect(messages("400")).toEqual(messages("300"));
  await ranked(database, ann, box, 3000);
  await scene.runPending();
  await scene.runPending();
  expect(messages("300").slice(1)).toEqual(["**ann** entered the **top 3** on `double` (`cpu`)."]);
  await ban(database, root, { account: "@here *mal*", reason: "spam" });
  await scene.runPending();
  expect(messages("300")[2]).toContain("**ann** took **#1** on `double` (`cpu`).");
  expect(scene.fake.pings).toEqual([]);
});

test("the first entry of a new board is announced, unless its competition is closed", async () => {
  await setChannels("100", { submissions: "300" });
  const spec = { name: "secret", title: "Secret", startsAt: inHours(-1), endsAt: inHours(1), visibility: "closed" };
  await createCompetition(database, root, CompetitionSpec.parse({ ...spec, problems: ["triple"] }));
  await ranked(database, root, box, 1000, { board: "triple" });
  await ranked(database, bob, box, 1000, { targets: ["H100"] });
  await scene.runPending();
  expect(messages("300")).toEqual(["**bob** took **#1** on `double` (`H100`)."]);
});

test("announcements list improvements before losses; ranks may be shared", () => {
  const place = (name: string, rank: number) => ({ id: name, name, rank });
  const before = [place("a", 1), place("b", 2), place("c", 3)];
  expect(podiumAnnouncements(before, before, "x", "t")).toEqual([]);
  expect(podiumAnnouncements(before, [place("d", 1), place("a", 1), place("b", 3)], "x", "t")).toEqual([
    "**d** took **#1** on `x` (`t`).",
    "**c** fell out of the **top 3** on `x` (`t`).",
  ]);
  expect(podiumAnnouncements(before, [place("b", 1), place("a", 2), place("c", 3)], "x", "t")).toEqual([
    "**b** took **#1** on `x` (`t`).",
    "**a** lost **#1** on `x` (`t`).",
  ]);
});

test("a message that Discord refuses is dropped and does not delay other channels", async () => {
  await setChannels("100", { submissions: "301" });
  await setChannels("101", { submissions: "300" });
  scene.fake.trouble = ({ path }) =>
    path.startsWith("/channels/301") ? { status: 403, body: { message: "Missing Access", code: 50_001 } } : undefined;
  await ranked(database, bob, box, 1000);
  await scene.runPending();
  expect(messages("300")).toHaveLength(1);
  expect(await database.sql`select channel_id, state, error from discord_message order by channel_id`).toEqual([
    { channel_id: "300", state: "sent", error: null },
    { channel_id: "301", state: "failed", error: "Discord responded with 403 (code 50001): Missing Access" },
  ]);
});

test("a passed ranked submission is announced with its rank, a failed one is not", async () => {
  const submit = async (board = "double") => {
    const script = scene.fake.attach("kernel.py", `pass # ${Math.random()}\n`);
    const options = { script, leaderboard_name: board, gpu: "cpu" };
    await scene.ask({ user: ANN, command: "leaderboard submit ranked", options });
    return claimed(database, box);
  };
  const ends = async (ns: number) => {
    await reported(database, box, await submit(), passing("ranked", [ns, ns]));
    await scene.runPending();
    await scene.runPending();
    return messages("200").at(-1)?.split("\n");
  };
  await scene.runPending();
  expect(await ends(5000)).toEqual([
    expect.stringMatching(/^<@100000000000000042>'s submission with id `\d+` to leaderboard `double`:$/),
    "> 🥇 First place on cpu: 0.200× speedup",
  ]);
  expect((await ends(8000))?.[1]).toBe("> Successful on cpu: 0.125× speedup");
  for (let n = 1; n <= 3; n += 1) await ranked(database, await person(database, `p${n}`), box, 100 * 2 ** n);
  expect((await ends(2000))?.[1]).toBe("> 4th place on cpu: 0.500× speedup");
  for (let n = 4; n <= 12; n += 1) await ranked(database, await person(database, `p${n}`), box, 1 * 1.2 ** n);
  expect((await ends(1900))?.[1]).toBe("> Personal best on cpu: 0.526× speedup");
  const before = messages("200").length;
  await reported(database, box, await submit(), failing("wrong_result"));
  await scene.runPending();
  expect(messages("200")).toHaveLength(before);
  expect(scene.fake.pings).toEqual([]);
});

test("a record in a closed competition is reported only to its owner", async () => {
  const spec = { name: "secret", title: "Secret", startsAt: inHours(-1), endsAt: inHours(1), visibility: "closed" };
  await createCompetition(database, root, CompetitionSpec.parse({ ...spec, problems: ["triple"] }));
  const script = scene.fake.attach("kernel.py", "pass\n");
  const options = { script, leaderboard_name: "triple", gpu: "cpu" };
  const reply = await scene.ask({ user: ROOT, command: "leaderboard submit ranked", options });
  await reported(database, box, await claimed(database, box), passing("ranked"));
  await scene.runPending();
  await scene.runPending();
  expect(reply.content).toContain("✅ passed");
  expect(await database.sql`select state from discord_submission`).toEqual([{ state: "done" }]);
  expect(messages("200")).toEqual([]);
});

test("each problem has a forum post, updated with the problem and archived when it is retired", async () => {
  await setChannels("100", { forum: "401" });
  await scene.runPending();
  const posts = scene.fake.threadsOf("401");
  expect(posts.map(({ name }) => name)).toEqual(["double", "triple"]);
  expect(messages(posts[0]?.id ?? "")).toEqual([
    `**New leaderboard: \`double\`**\nDoubles a vector.\nGPUs: \`cpu\`, \`H100\`\n<${PUBLIC_URL}/problems/double>`,
  ]);
  const endsAt = "2100-01-01T00:00:00.000Z";
  const spec = { name: "spring", title: "Spring", startsAt: inHours(-1), endsAt, problems: ["double"] };
  await createCompetition(database, root, CompetitionSpec.parse(spec));
  await scene.runPending();
  expect(messages(posts[0]?.id ?? "")).toEqual([
    expect.stringContaining(`Deadline: <t:${Date.parse(endsAt) / 1000}:f>`),
  ]);
  await database.sql`update board set accepts = false where problem = 'triple'`;
  await scene.runPending();
  expect(posts.map(({ archived }) => archived)).toEqual([false, true]);
  await scene.runPending();
  expect(scene.fake.threadsOf("401")).toHaveLength(2);
});

test("a post whose creation response was lost is not created twice", async () => {
  await setChannels("100", { forum: "401" });
  await database.sql`delete from discord_post`;
  const [double] = scene.fake.threadsOf("401");
  await database.sql`insert into discord_post (guild_id, problem, channel_id, tries) values ('100', 'double', '401', 1)`;
  await scene.runPending();
  expect(await database.sql`select thread_id from discord_post where problem = 'double'`).toEqual([
    { thread_id: double?.id },
  ]);
});
