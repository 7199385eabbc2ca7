import { beforeEach, expect, test } from "vitest";
import { STRANGER } from "../../auth/visibility.ts";
import { readProblem } from "../../problems/problems.ts";
import { readSubmission } from "../../submissions/views.ts";
import { openArchiveServer } from "@kernelbot/testing/archive.ts";
import { ANN, BOB, linked, openDiscordScene, ROOT, type DiscordScene } from "@kernelbot/testing/discord/discord.ts";
import { ranked } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { COMMANDS } from "./commands/commands.ts";
import type { FakeUser } from "@kernelbot/testing/discord/interaction-body.ts";

useScene();

let scene: DiscordScene;
beforeEach(async () => {
  scene = await openDiscordScene(database);
  await Promise.all([linked(database, ANN, ann), linked(database, BOB, bob), linked(database, ROOT, root)]);
  return () => scene[Symbol.asyncDispose]();
});

const ask = (command: string, options = {}, user: FakeUser = ROOT) =>
  scene.ask({ user, command: `admin ${command}`, options });

/** Options of each command with which it would have an effect. */
const GIVEN: Record<string, Record<string, string | number>> = {
  "set-channels": { submissions: "300" },
  "create-local": { directory: "fresh" },
  "delete-leaderboard": { leaderboard_name: "double" },
  "delete-submission": { submission_id: 1 },
  "get-submission": { submission_id: 1 },
  ban: { account: "ann" },
  unban: { account: "ann" },
};

test("each admin command requires a role here; Discord names and roles do not count", async () => {
  const id = await ranked(database, ann, box, 100);
  const commands = COMMANDS.filter(({ path }) => path.startsWith("admin "));
  expect(commands.length).toBeGreaterThan(10);
  const file = scene.fake.attach("names.json", JSON.stringify({ [ANN.id]: "another" }));
  for (const { path, options: known } of commands) {
    const options = GIVEN[path.slice("admin ".length)] ?? (known.some(({ name }) => name === "file") ? { file } : {});
    const { response, token } = await scene.send({ user: BOB, command: path, options });
    await scene.runPending();
    const content = response.type === 4 ? String(response.data?.["content"]) : scene.fake.answers(token)[0]?.content;
    expect([path, content]).toEqual([
      path,
      expect.stringMatching(/^⚠️ this requires the role \w+, which bob does not have$/),
    ]);
  }
  await scene.send({ user: BOB, press: `delete:${id}:` });
  const [board] = await database.sql<{ number: number }>`select number from problem where name = 'double'`;
  await scene.send({ user: BOB, window: `retire:${board?.number}:1`, written: "double" });
  await scene.runPending();
  expect(await readSubmission(database, id)).toMatchObject({ removed: null });
  expect(await database.sql`select distinct accepts from board`).toEqual([{ accepts: true }]);
  expect(await database.sql`select * from audit`).toEqual([]);
});

test("start opens submissions and stop closes them", async () => {
  expect((await ask("stop")).content).toMatch(/^Submissions are closed until/);
  expect(await database.sql`select accepts from intake_gate`).toEqual([{ accepts: false }]);
  expect((await ask("start")).content).toBe("Submissions are open.");
  expect(await database.sql`select accepts from intake_gate`).toEqual([{ accepts: true }]);
});

test("set-channels stores the channels of its Discord server and unsets those left out", async () => {
  expect((await ask("set-channels", { submissions: "300", forum: "301" })).content).toBe(
    "Submissions: <#300>. Forum: <#301>.",
  );
  await ask("set-channels", { forum: "302" });
  expect(await database.sql`select * from discord_guild`).toEqual([
    { id: "100", submissions_channel: null, forum_channel: "302" },
  ]);
  const direct = await scene.ask({ user: ROOT, guild: null, command: "admin set-channels" });
  expect(direct.content).toMatch(/in the Discord server to configure/);
});

test("create-local opens the board of a problem directory", async () => {
  expect((await ask("create-local", { directory: "set/fresh" })).content).toBe("Leaderboard `fresh` is open.");
  expect(await readProblem(database, root, "fresh")).toMatchObject({ name: "fresh" });
  expect((await ask("create-local", { directory: "../../etc" })).content).toMatch(/problem folder has no problem/);
});

test("delete-leaderboard requires typing the name", async () => {
  const id = await ranked(database, ann, box, 100);
  const { response } = await scene.send({
    user: ROOT,
    command: "admin delete-leaderboard",
    options: { leaderboard_name: "double", force: true },
  });
  expect(response).toMatchObject({ type: 9, data: { title: "Delete a leaderboard" } });
  const window = String(response.data?.["custom_id"]);
  expect((await scene.ask({ user: ROOT, window, written: "triple" })).content).toMatch(/nothing was changed/);
  expect((await scene.ask({ user: ROOT, window, written: "double" })).content).toMatch(/no longer accepts submissions/);
  expect(await database.sql`select distinct accepts from board where problem = 'double'`).toEqual([{ accepts: false }]);
  expect(await readSubmission(database, id)).not.toBeNull();
});

test("delete-submission shows the submission and deletes it after confirmation", async () => {
  const id = await ranked(database, ann, box, 100);
  const shown = await ask("delete-submission", { submission_id: id, reason: "copied: from bob" });
  expect(shown.parts.map(({ label }) => label)).toEqual(["Delete", "Keep"]);
  expect(shown.files).toMatchObject([{ name: "kernel.py" }]);
  await scene.send({ user: ROOT, press: "keep" });
  await scene.runPending();
  expect(shown.content).toBe("The submission was kept.");
  const again = await ask("delete-submission", { submission_id: id, reason: "copied: from bob" });
  await scene.send({ user: ROOT, press: again.parts[0]?.custom_id ?? "" });
  await scene.runPending();
  expect(again).toMatchObject({ content: `Submission ${id} was deleted.`, parts: [] });
  expect(await readSubmission(database, id)).toMatchObject({
    removed: { by: "moderator", reason: "copied: from bob" },
  });
  expect((await ask("get-submission", { submission_id: id })).content).toContain(
    "🚫 removed by a moderator: copied: from bob",
  );
});

test("get-submission shows any submission with its runs", async () => {
  const id = await ranked(database, ann, box, 100);
  const { content, files } = await ask("get-submission", { submission_id: id });
  expect(content).toContain("By **ann**");
  expect(files.map(({ name }) => name)).toEqual(["kernel.py", "runs.json"]);
  expect(JSON.parse(files[1]?.text ?? "")).toMatchObject([{ target: "cpu", verdict: "passed" }]);
});

test("ban and unban accept a Discord user or an account name", async () => {
  expect((await ask("ban", { user: ANN.id, reason: "spam" })).content).toBe("**ann** is banned.");
  expect(await database.sql`select name, ban_reason from account where banned_at is not null`).toEqual([
    { name: "ann", ban_reason: "spam" },
  ]);
  expect((await ask("unban", { account: "ann" })).content).toBe("**ann** is no longer banned.");
  expect((await ask("ban", { user: "999" })).content).toMatch(/has no account here/);
  expect((await ask("ban")).content).toMatch(/set the option user or account/);
});

test("show-stats shows the statistics of a board", async () => {
  await ranked(database, ann, box, 100);
  expect((await ask("show-stats", { leaderboard_name: "double" })).content).toMatch(
    /num_submissions = 1\n[^]*runs_passed.cpu = 1/,
  );
  expect((await ask("show-stats", { leaderboard_name: "triple" })).content).toContain("num_submissions = 0");
  const totalAfter = async (interval: string) => {
    await database.sql`update run set started_at = now(), finished_at = now() + ${interval}::interval`;
    return /total_runtime.cpu = (.*)/.exec((await ask("show-stats")).content)?.[1];
  };
  expect(await totalAfter("41 ms")).toBe("41.00 ms");
  expect(await totalAfter("12 min")).toBe("12 min");
  expect(await totalAfter("26 hours 5 min")).toBe("26 h 5 min");
});

test("update-problems reports the result of each problem, and failed downloads", async () => {
  await using archives = await openArchiveServer();
  await using other = await openDiscordScene(database, { archives: archives.url });
  const update = async (options = {}) => {
    const allOptions = { repository_name: "some/kernels", ...options };
    return (await other.ask({ user: ROOT, command: "admin update-problems", options: allOptions })).content;
  };
  expect(await update()).toMatch(
    /^Problems: 1 created, 0 updated, 0 unchanged, 0 kept, 2 refused, 0 missing\.\n```\nrefused broken: .*reference.py is missing.*\nrefused double: .*use a prefix, or force its replacement\ncreated quadruple\n```$/,
  );
  expect(await readProblem(database, root, "quadruple")).toMatchObject({ name: "quadruple" });
  expect(await update({ problem_set: "set", force: true })).toMatch(/updated double\nunchanged quadruple\n/);
  expect(await update({ problem_set: "set" })).toMatch(/unchanged double\nunchanged quadruple\n/);
  expect(await update({ prefix: "amd-" })).toMatch(/created amd-double\ncreated amd-quadruple\n/);
  expect(await update({ prefix: "AMD" })).toMatch(/prefix: use lower\\-case letters/);
  expect(await update({ problem_set: "other" })).toMatch(/problem set "other" not found in .*its sets are set/);
  const closed = await update({ closed: true });
  expect(closed).toMatch(/refused double: double was requested as closed but already exists in no competition/);
  expect(closed).toMatch(/refused quadruple: quadruple was requested as closed/);
  expect(await update({ visibility: "closed" })).toMatch(
    /does not support the option "visibility"; nothing was changed/,
  );
  expect(await update({ branch: "none" })).toMatch(/not found; check the repository and branch/);
  expect(await update({ force: true })).toMatch(/force requires problem\\_set/);
  expect(await update({ repository_name: "../x" })).toMatch(/is not OWNER/);
});

test("update-problems with closed makes new problems visible to members only", async () => {
  await using archives = await openArchiveServer();
  await using other = await openDiscordScene(database, { archives: archives.url });
  const options = { repository_name: "some/kernels", closed: true };
  const { content } = await other.ask({ user: ROOT, command: "admin update-problems", options });
  expect(content).toMatch(/created quadruple/);
  expect(await readProblem(database, STRANGER, "quadruple")).toBeNull();
  expect(await readProblem(database, root, "quadruple")).not.toBeNull();
});

test("resync registers the commands with Discord", async () => {
  expect(scene.fake.commands).toEqual([]);
  await ask("resync");
  expect(scene.fake.commands.map(({ name }) => name)).toEqual(["leaderboard", "admin", "ping", "verifydb"]);
});
