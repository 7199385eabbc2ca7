import { beforeEach, expect, test } from "vitest";
import { CompetitionSpec } from "@kernelbot/core";
import { createCompetition } from "../../competitions/change.ts";
import { inHours, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import {
  ANN,
  BOB,
  linked,
  openDiscordScene,
  PUBLIC_URL,
  type DiscordScene,
} from "@kernelbot/testing/discord/discord.ts";
import { syncProblems } from "../../problems/sync.ts";
import {
  claimed,
  failing,
  person,
  problemFiles,
  problemTree,
  ranked,
  reported,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { commandTree } from "./command-tree.ts";
import { COMMANDS } from "./commands/commands.ts";

useScene();
useOrganiser();

let scene: DiscordScene;
beforeEach(async () => {
  scene = await openDiscordScene(database);
  await Promise.all([linked(database, ANN, ann), linked(database, BOB, bob)]);
  return () => scene[Symbol.asyncDispose]();
});

const ask = (command: string, options = {}, user = ANN) => scene.ask({ user, command, options });
const BOARD = { leaderboard_name: "double" };

test("registers the commands of the previous bot", () => {
  const paths = (nodes: readonly object[], before = ""): string[] =>
    nodes.flatMap((node) => {
      const { name, type, options = [] } = node as { name: string; type?: number; options?: object[] };
      const path = `${before}${name}`;
      const words = options.filter((option) => [1, 2].includes((option as { type: number }).type));
      expect(type === undefined || type <= 2).toBe(true);
      return words.length > 0 ? paths(words, `${path} `) : [path];
    });
  expect(paths(commandTree(COMMANDS)).map((path) => `/${path}`)).toMatchInlineSnapshot(`
    [
      "/leaderboard submit test",
      "/leaderboard submit benchmark",
      "/leaderboard submit ranked",
      "/leaderboard submit profile",
      "/leaderboard submit application",
      "/leaderboard list",
      "/leaderboard show",
      "/leaderboard show-personal",
      "/leaderboard task",
      "/leaderboard template",
      "/leaderboard get-submission",
      "/leaderboard help",
      "/admin start",
      "/admin stop",
      "/admin set-channels",
      "/admin create-local",
      "/admin delete-leaderboard",
      "/admin delete-submission",
      "/admin update-problems",
      "/admin show-stats",
      "/admin get-submission",
      "/admin ban",
      "/admin unban",
      "/admin resync",
      "/admin get-user-names",
      "/admin update-user-names",
      "/admin set-forum-ids",
      "/admin export-hf",
      "/ping",
      "/verifydb",
    ]
  `);
  for (const root of commandTree(COMMANDS)) {
    expect(JSON.stringify(root).length).toBeLessThan(8000);
    expect(root.description.length).toBeLessThanOrEqual(100);
  }
});

test("options restrict the kind of channel and the length of a reason", () => {
  const tree = JSON.stringify(commandTree(COMMANDS.filter(({ path }) => path.startsWith("admin "))));
  expect(tree).toContain('"name":"submissions","description":"Channel for submissions and announcements","type":7');
  expect(tree.match(/"channel_types":\[\d+\]/g)).toEqual(['"channel_types":[0]', '"channel_types":[15]']);
  expect(tree.match(/"max_length":\d+/g)).toEqual(['"max_length":70']);
});

test("list shows the boards that accept submissions, with their deadlines", async () => {
  const spec = { name: "spring", title: "Spring", startsAt: inHours(-1), endsAt: "2100-01-02T03:04:00.000Z" };
  await createCompetition(database, olga, CompetitionSpec.parse({ ...spec, problems: ["triple"] }));
  const { content, ephemeral, parts } = await ask("leaderboard list");
  expect(content).toContain("**Active Leaderboards**");
  expect(content).toMatch(/double +– +cpu, H100\ntriple +2100-01-02 03:04 cpu, H100/);
  expect([ephemeral, parts]).toEqual([true, []]);
});

test("list does not truncate names and GPUs, so that they can be copied to other commands", async () => {
  const name = "a-problem-with-quite-a-long-name-of-48-characters";
  const targets = ["A100", "B200", "H100", "L4", "MI300", "MI355X", "T4"];
  const task = (text: string) => text.replace(/targets: .*/, `targets: { ${targets.join(": {}, ")}: {} }`);
  await syncProblems(database, problemTree({ [`set/${name.slice(0, 48)}`]: problemFiles(task) }), {
    keepForeign: true,
  });
  const { content } = await ask("leaderboard list");
  expect(content).toContain(`${name.slice(0, 48)} `);
  expect(content).toContain(targets.join(", "));
});

test("lists, autocomplete and errors hide a closed competition from non-members", async () => {
  const spec = { name: "secret", title: "Secret", startsAt: inHours(-1), endsAt: inHours(1), visibility: "closed" };
  await createCompetition(database, olga, CompetitionSpec.parse({ ...spec, problems: ["triple"] }));
  expect((await ask("leaderboard list")).content).not.toContain("triple");
  for (const command of ["show", "show-personal", "task"]) {
    expect((await ask(`leaderboard ${command}`, { leaderboard_name: "triple" })).content).toMatch(
      /board "triple" not found/,
    );
  }
  const action = {
    user: ANN,
    command: "leaderboard show",
    options: { leaderboard_name: "" },
    typing: "leaderboard_name",
  };
  expect((await scene.send(action)).response).toEqual({
    type: 8,
    data: { choices: [{ name: "double", value: "double" }] },
  });
});

test("autocomplete proposes boards, GPUs and languages", async () => {
  const proposals = async (command: string, options: Record<string, string>, typing: string) => {
    const { response } = await scene.send({ user: ANN, command, options, typing });
    return (response.data?.["choices"] as { value: string }[]).map(({ value }) => value);
  };
  const submitting = "leaderboard submit ranked";
  expect(await proposals(submitting, { leaderboard_name: "ou" }, "leaderboard_name")).toEqual(["double"]);
  expect(await proposals(submitting, { leaderboard_name: "e" }, "leaderboard_name")).toEqual(["double", "triple"]);
  expect(await proposals(submitting, { ...BOARD, gpu: "" }, "gpu")).toEqual(["cpu", "H100"]);
  expect(await proposals(submitting, { ...BOARD, gpu: "cpu, h" }, "gpu")).toEqual(["cpu, H100"]);
  expect(await proposals(submitting, { gpu: "" }, "gpu")).toEqual([]);
  expect(await proposals("leaderboard template", { ...BOARD, lang: "p" }, "lang")).toEqual(["Python"]);
});

test("show asks for the GPUs of a board with several, and shows a table for each", async () => {
  await ranked(database, ann, box, 2000);
  await ranked(database, bob, box, 1000, { fileName: "fast ``` @here.py" });
  const first = await ask("leaderboard show", BOARD);
  expect(first.parts[0]?.options?.map(({ value }) => value)).toEqual(["cpu", "H100"]);
  const { token } = await scene.send({ user: ANN, press: first.parts[0]?.custom_id ?? "", values: ["cpu", "H100"] });
  await scene.runPending();
  const [cpu, h100] = scene.fake.answers(token).map(({ content }) => content);
  expect(cpu).toContain("**Leaderboard Submissions for `double` on `cpu`**");
  expect(cpu).toMatch(
    /Rank +User +Score +Submission Name\n[- ]+\n1 +bob +1\.000× +fast ''' @here.py\n2 +ann +0\.500× +kernel.py\n/,
  );
  expect(cpu).toContain(`<${PUBLIC_URL}/boards/double/cpu>`);
  expect(h100).toContain("There are currently no submissions for leaderboard `double`.");
  expect(scene.fake.answers(token).every(({ ephemeral }) => ephemeral)).toBe(true);
});

test("show says that an empty board is frozen, and the template states the deadline's time zone", async () => {
  const endsAt = "2100-01-02T03:04:00.000Z";
  const spec = { name: "spring", title: "Spring", startsAt: inHours(-2), endsAt, freezeAt: inHours(-1) };
  await createCompetition(database, olga, CompetitionSpec.parse({ ...spec, problems: ["triple"] }));
  await ranked(database, ann, box, 2000, { board: "triple" });
  const first = await ask("leaderboard show", { leaderboard_name: "triple" }, BOB);
  await scene.send({ user: BOB, press: first.parts[0]?.custom_id ?? "", values: ["cpu"] });
  await scene.runPending();
  expect(first.content).toContain("There are currently no submissions for leaderboard `triple`.");
  expect(first.content).toContain(`The board is frozen until <t:${Date.parse(endsAt) / 1000}:f>.`);
  const { files } = await ask("leaderboard template", { leaderboard_name: "triple", lang: "Python" });
  expect(files[0]?.text).toContain("# Deadline: 2100-01-02 03:04 UTC\n");
});

test("a long ranking has pages", async () => {
  for (let n = 1; n <= 21; n += 1) await ranked(database, await person(database, `p${n}`), box, 1000 * 2 ** n);
  const [board] = await database.sql<{ number: number }>`select number from problem where name = 'double'`;
  const shown = await ask("leaderboard show", BOARD);
  await scene.send({ user: ANN, press: shown.parts[0]?.custom_id ?? "", values: ["cpu"] });
  await scene.runPending();
  expect(shown.parts.map(({ label, disabled }) => [label, disabled])).toEqual([
    ["◀", true],
    ["Page 1/2", true],
    ["▶", false],
  ]);
  expect(shown.parts[2]?.custom_id).toBe(`board:${board?.number}:cpu:1`);
  await scene.send({ user: ANN, press: `board:${board?.number}:cpu:1` });
  await scene.runPending();
  expect(shown.content).toMatch(/\n21 +p21/);
  expect(shown.content).not.toContain("p20");
});

test("show-personal lists only the caller's own ranked runs, fastest first", async () => {
  const [slow, fast] = [await ranked(database, ann, box, 2000), await ranked(database, ann, box, 1000)];
  await ranked(database, bob, box, 250);
  const { content } = await ask("leaderboard show-personal", BOARD);
  expect(content).toMatch(new RegExp(`1 +${fast} +1\\.000× +kernel.py +\\d\\d:\\d\\d:\\d\\d\\n2 +${slow} +0\\.500×`));
  expect(content).toContain("Time (UTC)");
  expect(content).not.toContain("4.000×");
  const stranger = await ask("leaderboard show-personal", BOARD, { id: "99", username: "stranger" });
  expect(stranger.content).toMatch(/is not linked to an account here/);
});

test("task sends the files of a problem", async () => {
  const { content, files } = await ask("leaderboard task", BOARD);
  expect(content).toContain("**Reference Code for `double`**");
  expect(files.map(({ name }) => name).toSorted()).toEqual(["reference.py", "task.yml"]);
});

test("template sends a starter file with directives", async () => {
  const { files } = await ask("leaderboard template", { ...BOARD, lang: "python" });
  const [file] = files;
  expect(file?.name).toBe("double.py");
  expect(file?.text).toMatch(
    /^#!POPCORN leaderboard double\n# > Doubles a vector\.\n# It runs on: cpu, H100\.[^]*# Happy hacking!\n/,
  );
  expect((await ask("leaderboard template", { ...BOARD, lang: "CUDA" })).content).toMatch(/it has Python/);
});

test("get-submission shows the caller's own source and outcome, and refuses other submissions", async () => {
  const id = await submitted(database, ann, { source: "mine = 1\n", targets: ["cpu", "H100"] });
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  const { content, files } = await ask("leaderboard get-submission", { submission_id: id });
  expect(content).toContain(" * test on `cpu`: failed: wrong result\n * test on `H100`: queued");
  expect(files).toEqual([{ name: "kernel.py", text: "mine = 1\n" }]);
  const other = await ask("leaderboard get-submission", { submission_id: id }, BOB);
  expect(other.content).toBe(`⚠️ Submission with id ${id} is not one of your submissions`);
});

test("help shows the caller's account and the first steps", async () => {
  expect((await ask("leaderboard help")).content).toContain("Your account: **ann**");
  const stranger = await ask("leaderboard help", {}, { id: "99", username: "stranger" });
  expect(stranger.content).toContain(`link Discord on <${PUBLIC_URL}/account> first`);
  expect(stranger.content.length).toBeLessThan(2000);
  await database.sql`insert into discord_guild (id, submissions_channel) values ('100', '300')`;
  expect((await ask("leaderboard help")).content).toContain("Submit in <#300>.");
});

test("ping and verifydb respond", async () => {
  expect((await ask("ping")).content).toBe("pong");
  expect((await ask("verifydb")).content).toMatch(/^Your lucky number is 0\.\d+\.$/);
});
