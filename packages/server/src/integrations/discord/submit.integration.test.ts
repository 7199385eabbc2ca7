import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { KernelBotError } from "@kernelbot/core";
import { openDatabase } from "../../db/database.ts";
import { setGate } from "../../submissions/gate.ts";
import { ban } from "../../moderation/ban.ts";
import { readSubmission } from "../../submissions/views.ts";
import {
  ANN,
  BOB,
  linked,
  openDiscordScene,
  PUBLIC_URL,
  ROOT,
  type DiscordScene,
} from "@kernelbot/testing/discord/discord.ts";
import { claimed, failing, JUDGE_FAILED, passing, report, reported } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root } from "@kernelbot/testing/scene.ts";
import type { FakeUser } from "@kernelbot/testing/discord/interaction-body.ts";

let scene: DiscordScene;
beforeEach(async () => {
  scene = await openDiscordScene(database);
  await linked(database, ANN, ann);
  return () => scene[Symbol.asyncDispose]();
});
afterEach(() => expect(scene.fake.pings).toEqual([]));

interface Handed {
  user?: FakeUser;
  mode?: string;
  board?: string | undefined;
  gpu?: string | undefined;
  name?: string;
  source?: string | Buffer;
}

/** Submits a file; returns what is shown, and the token to read it later. */
async function handIn({ user = ANN, mode = "test", board = "double", gpu = "cpu", name, source }: Handed = {}) {
  const script = scene.fake.attach(name ?? "kernel.py", source ?? "pass\n");
  const options = { script, ...(board !== "" && { leaderboard_name: board }), ...(gpu !== "" && { gpu }) };
  const { token, response } = await scene.tell({ user, command: `leaderboard submit ${mode}`, options });
  expect(response).toEqual({ type: 5, data: { flags: 64 } });
  await scene.attend();
  return token;
}
const shown = (token: string): string => scene.fake.answers(token)[0]?.content ?? "";
const passes = async (target = "cpu", mode: "test" | "ranked" | "profile" = "test", ns = 100) =>
  reported(database, box, await claimed(database, box, target), passing(mode, [ns, ns]));
const said = (channel: string): string[] =>
  scene.fake.channels.get(channel)?.messages.map(({ content }) => content) ?? [];
const thread = () => scene.fake.threadsOf("200")[0];
const latest = async (): Promise<number> => {
  const [row] = await database.sql<{ id: number }>`select max(id) as id from submission`;
  return row?.id ?? 0;
};

test("a submission is shown to who handed it in alone, is edited as stages pass, and its report comes in a private thread", async () => {
  const token = await handIn();
  const id = await latest();
  expect(shown(token)).toBe(
    `# Submission **${id}**: \`kernel.py\` for \`double\`\n**cpu** ⏳ queued, number 1 in line\n<${PUBLIC_URL}/submissions/${id}>`,
  );
  const run = await claimed(database, box);
  const events = passing("test");
  await report(database, box, run.runId, { attempt: run.attempt, from: 0, events: events.slice(0, 3) });
  await scene.attend();
  expect(shown(token)).toContain("**cpu** ⚙️ running\n> ✓ prepare · ▸ **test**");
  await report(database, box, run.runId, { attempt: run.attempt, from: 3, events: events.slice(3) });
  await scene.attend();
  expect(shown(token)).toContain("**cpu** ✅ passed");
  expect(thread()).toMatchObject({ name: `✅ #${id} kernel.py on cpu`, isPrivate: true, members: [ANN.id] });
  expect(shown(token)).toContain(`The report is in <#${thread()?.id}>.`);
  const [whole, end] = said(thread()?.id ?? "");
  expect(whole).toMatch(/^```\ncpu: passed\n[^]*✓ test: 2 of 2 cases passed[^]*\n```$/);
  expect(end).toBe(`See results at <${PUBLIC_URL}/submissions/${id}>`);
  expect(scene.fake.answers(token).every(({ ephemeral }) => ephemeral)).toBe(true);
  expect(said("200")).toEqual([]);
});

test("who has no account yet gets one with the first submission, and by signing in with Discord later the same", async () => {
  await handIn({ user: { id: "77", username: "newcomer", global_name: "New \u202ecomer" } });
  expect(await readSubmission(database, await latest())).toMatchObject({ account: { name: "New comer" } });
  const [identity] = await database.sql`select provider, subject from linked_identity where subject = '77'`;
  expect(identity).toEqual({ provider: "discord", subject: "77" });
});

test("of several GPUs one chooses in a menu, and the same message goes on as progress", async () => {
  const token = await handIn({ gpu: "" });
  expect(shown(token)).toBe("Please select the GPU(s) for leaderboard: `double`.");
  const [menu] = scene.fake.answers(token)[0]?.parts ?? [];
  expect(menu?.options?.map(({ value }) => value)).toEqual(["cpu", "H100"]);
  const press = menu?.custom_id ?? "";
  const [message] = scene.fake.answers(token);
  const { parts } = message ?? { parts: [] };
  // Another user cannot use the menu, even though Discord shows it only to its owner.
  await scene.ask({ user: BOB, press, values: ["cpu"] });
  expect(shown(token)).toMatch(/chosen already, or too long ago/);
  Object.assign(message ?? {}, { parts });
  await scene.tell({ user: ANN, press, values: ["H100", "cpu"] });
  await scene.attend();
  for (const target of ["cpu", "H100"]) expect(shown(token)).toContain(`**${target}** ⏳ queued`);
  expect(scene.fake.answers(token)[0]?.parts).toEqual([]);
  await passes("cpu");
  await scene.attend();
  expect(thread()).toBeUndefined();
  await passes("H100");
  await scene.attend();
  expect(said(thread()?.id ?? "")).toHaveLength(3);
});

test("a thread is not marked as failed for what the judge did", async () => {
  await handIn();
  while ((await database.sql`select id from run where state = 'queued'`).length > 0) {
    await reported(database, box, await claimed(database, box), JUDGE_FAILED);
  }
  await scene.attend();
  expect(thread()?.name).toMatch(/^⚠️ #\d+ kernel.py on cpu$/);
});

test("the head of the file says where it goes", async () => {
  const source = "#!POPCORN leaderboard double\n#!POPCORN gpu H100\npass\n";
  const token = await handIn({ board: "", gpu: "", source });
  expect(shown(token)).toContain("**H100** ⏳ queued");
  const contradicted = await handIn({ board: "triple", source });
  expect(shown(contradicted)).toMatch(/make them the same/);
});

test.each<[what: string, handed: Handed, sentence: RegExp]>([
  ["no leaderboard", { board: "" }, /name the leaderboard/],
  ["one that is not there", { board: "doubel" }, /there is no board "doubel"; did you mean double\?/],
  ["a GPU that the board has not", { gpu: "B200" }, /double has no GPU "B200"; it has cpu, H100/],
  ["bytes that are no text", { source: Buffer.from([0xff, 0xfe, 0x41]) }, /not UTF\\-8 text/],
  ["an empty file", { source: " \n" }, /the file is empty/],
  ["more than a submission may have", { source: "#".repeat(1_000_001) }, /too large/],
  ["a name of another language", { name: "kernel.rs" }, /double takes \.py/],
])("%s is refused with a sentence, and nothing is stored", async (_, handed, sentence) => {
  expect(shown(await handIn(handed))).toMatch(sentence);
  expect(await database.sql`select id from submission`).toHaveLength(0);
  expect(await database.sql`select id from discord_submission where source is not null`).toHaveLength(0);
});

test("a banned account, and everybody while no submissions are taken, is told so", async () => {
  await ban(database, root, { account: "ann", reason: "spam" });
  expect(shown(await handIn())).toMatch(/the account ann is banned: spam/);
  await linked(database, BOB, bob);
  await setGate(database, root, false);
  expect(shown(await handIn({ user: BOB }))).toMatch(/no submissions are taken at the moment/);
});

test("an attachment is fetched from where Discord keeps them, and from nowhere else", async () => {
  const script = { filename: "kernel.py", size: 4, url: "http://169.254.169.254/latest" };
  const answer = await scene.ask({
    user: ANN,
    command: "leaderboard submit test",
    options: { script, leaderboard_name: "double" },
  });
  expect(answer.content).toMatch(/it lies elsewhere/);
});

test("where submissions have a channel of their own, another leads there", async () => {
  await linked(database, ROOT, root);
  await scene.ask({ user: ROOT, command: "admin set-channels", options: { submissions: "300" } });
  expect(shown(await handIn())).toBe("Submissions are taken in <#300>.");
});

test("after 15 minutes the thread goes on where the private answer ends", async () => {
  const token = await handIn();
  const before = shown(token);
  scene.clock.pass(15 * 60_000);
  scene.fake.expireTokens();
  const run = await claimed(database, box);
  await report(database, box, run.runId, { attempt: run.attempt, from: 0, events: passing("test").slice(0, 1) });
  const asked = scene.fake.asked.length;
  await scene.attend();
  expect(
    scene.fake.asked
      .slice(asked)
      .map(({ path }) => path)
      .join(),
  ).not.toContain("/webhooks/");
  expect(shown(token)).toBe(before);
  expect(thread()).toMatchObject({ name: expect.stringMatching(/^⏳ #/) as string, members: [ANN.id] });
  expect(said(thread()?.id ?? "")).toEqual([expect.stringContaining("⚙️ running")]);
  await report(database, box, run.runId, { attempt: run.attempt, from: 1, events: passing("test").slice(1) });
  await scene.attend();
  expect(thread()?.name).toMatch(/^✅ #/);
  expect(said(thread()?.id ?? "")).toEqual([
    expect.stringContaining("✅ passed"),
    expect.stringContaining("cpu: passed"),
    expect.stringContaining("See results at"),
  ]);
});

test("a token that Discord takes no more before its time (50027) is done with at once", async () => {
  const token = await handIn();
  scene.clock.pass(60_000);
  scene.fake.expireTokens();
  await passes();
  await scene.attend();
  await scene.attend();
  expect(shown(token)).toContain("queued");
  expect(said(thread()?.id ?? "").join()).toContain("✅ passed");
  expect(await database.sql`select state, token from discord_submission`).toEqual([{ state: "done", token: null }]);
});

test("where there can be no thread, the report comes in direct messages", async () => {
  scene.fake.trouble = ({ path }) =>
    path.endsWith("/threads") ? { status: 403, body: { message: "Missing Permissions", code: 50_013 } } : undefined;
  const token = await handIn();
  await passes();
  await scene.attend();
  expect(said(`9${ANN.id}`)).toEqual([expect.stringContaining("cpu: passed"), expect.stringContaining("See results")]);
  expect(shown(token)).toContain("✅ passed");
});

test("a submission by direct message is reported there", async () => {
  const script = scene.fake.attach("kernel.py", "pass\n");
  const options = { script, leaderboard_name: "double", gpu: "cpu" };
  await scene.tell({ user: ANN, guild: null, channel: "500", command: "leaderboard submit ranked", options });
  await scene.attend();
  await passes("cpu", "ranked");
  await scene.attend();
  await scene.attend();
  expect(said("500")).toEqual([expect.stringContaining("cpu: passed"), expect.stringContaining("See results")]);
});

test("where there is no place for the report, the private answer and the public one are given all the same", async () => {
  const token = await handIn({ mode: "ranked" });
  scene.fake.trouble = ({ method, path }) => {
    if (method === "POST" && path.endsWith("/threads")) {
      return { status: 403, body: { message: "Missing Permissions", code: 50_013 } };
    }
    const isDirect = path.startsWith(`/channels/9${ANN.id}/`);
    return isDirect ? { status: 403, body: { message: "Cannot send messages to this user", code: 50_007 } } : undefined;
  };
  scene.clock.pass(60_000);
  await passes("cpu", "ranked");
  await scene.attend();
  await scene.attend();
  expect(shown(token)).toContain("✅ passed");
  expect(said("200")).toEqual([expect.stringContaining("🥇 First place on cpu")]);
  expect(await database.sql`select state, error from discord_submission`).toMatchObject([
    { state: "lost", error: expect.stringContaining("Cannot send messages") as string },
  ]);
  expect(await readSubmission(database, await latest())).toMatchObject({ runs: [{ verdict: "passed" }] });
});

test("where nothing can be told while it runs, its end is told as soon as it can be", async () => {
  await handIn();
  scene.clock.pass(15 * 60_000);
  scene.fake.expireTokens();
  scene.fake.trouble = ({ path }) =>
    path.startsWith("/channels/") ? { status: 403, body: { message: "Missing Access", code: 50_001 } } : undefined;
  const run = await claimed(database, box);
  await scene.attend();
  scene.fake.trouble = () => undefined;
  await reported(database, box, run, passing("test"));
  await scene.attend();
  expect(said(`9${ANN.id}`).join()).toContain("cpu: passed");
});

test("a thread that Discord has archived meanwhile goes on", async () => {
  await handIn();
  scene.clock.pass(15 * 60_000);
  scene.fake.expireTokens();
  const run = await claimed(database, box);
  await scene.attend();
  Object.assign(thread() ?? {}, { archived: true });
  await report(database, box, run.runId, { attempt: run.attempt, from: 0, events: passing("test").slice(0, 3) });
  await scene.attend();
  expect(said(thread()?.id ?? "")).toEqual([expect.stringContaining("▸ **test**")]);
  expect(thread()?.archived).toBe(false);
});

test("a report that is longer than a message becomes a file", async () => {
  await handIn();
  const lines = Array.from({ length: 50 }, (_, line) => `line ${line} ${"x".repeat(60)}`).join("\n");
  const [verdict] = failing("crash");
  await reported(database, box, await claimed(database, box), [
    { ...verdict, detail: lines } as typeof verdict & object,
  ]);
  await scene.attend();
  const [first] = scene.fake.channels.get(thread()?.id ?? "")?.messages ?? [];
  expect(first?.content).toBe("```\ncpu: failed: crash\n```");
  expect(first?.files).toEqual([{ name: "report-cpu.txt", text: expect.stringContaining("line 49") as string }]);
});

test("a message of nothing but marks is cut so that it fits with their escapes", async () => {
  const token = await handIn();
  await reported(database, box, await claimed(database, box), failing("wrong_result", "*".repeat(20_000)));
  await scene.attend();
  expect(shown(token)).toContain("❌ failed");
  expect(scene.fake.answers(token)[0]?.files).toEqual([]);
});

test("hostile names and output ping nobody, forge no line and break out of no block", async () => {
  const name = "@everyone `**[x](x)** <@99>```.py";
  const token = await handIn({ name });
  const [verdict] = failing("wrong_result", "@everyone **look** https://evil.example\n# heading");
  const detail = "```\n@everyone escaped\n``````\n**bold**`";
  await reported(database, box, await claimed(database, box), [{ ...verdict, detail } as typeof verdict & object]);
  await scene.attend();
  expect(shown(token)).toContain("`@everyone '**[x](x)** <@99>'''.py`");
  expect(shown(token)).toContain("> @\u200beveryone \\*\\*look\\*\\* https:\u200b//evil.example \\# heading");
  const [block = ""] = said(thread()?.id ?? "");
  expect(block.startsWith("```\n") && block.endsWith("\n```")).toBe(true);
  expect(block.slice(4, -4)).not.toContain("```");
});

test("a server that dies while intake has the file loses nothing and submits nothing twice", async () => {
  const script = scene.fake.attach("kernel.py", "pass\n");
  const options = { script, leaderboard_name: "double", gpu: "cpu" };
  const dying = await openDatabase({ url: database.url });
  const { token, body } = scene.fake.interaction({ user: ANN, command: "leaderboard submit test", options });
  const other = await scene.another(dying);
  scene.fake.acknowledge(token, await other.interact(scene.fake.signed(body, scene.clock.now())));
  // Simulates a server that ends between the commit of the submission and its message to Discord.
  scene.fake.trouble = ({ path }) => (path.includes("/webhooks/") ? { status: 500 } : undefined);
  await other.attend();
  await dying.close();
  expect(await database.sql`select id from submission`).toHaveLength(1);
  await database.sql`update discord_submission set state = 'accepting', submission_id = null, source = 'pass' || chr(10),
    held_until = now() + interval '1 minute', due_at = now()`;
  scene.fake.trouble = () => undefined;
  await scene.attend();
  expect(shown(token)).toBe("");
  scene.clock.pass(130_000);
  await scene.attend();
  expect(shown(token)).toContain("queued");
  expect(await database.sql`select id from submission`).toHaveLength(1);
  await other.close();
});

test("a server that dies as soon as a command is acknowledged has its submission stored", async () => {
  const script = scene.fake.attach("kernel.py", "pass\n");
  const options = { script, leaderboard_name: "double", gpu: "cpu" };
  const dying = await openDatabase({ url: database.url });
  const { token, body } = scene.fake.interaction({ user: ANN, command: "leaderboard submit test", options });
  const other = await scene.another(dying);
  const response = await other.interact(scene.fake.signed(body, scene.clock.now()));
  await dying.close();
  scene.fake.acknowledge(token, response);
  await scene.attend();
  expect(shown(token)).toContain("queued");
  await other.close();
});

test("a server that dies after it has begun the thread goes on in the same one, and repeats no message", async () => {
  await handIn();
  await passes();
  scene.fake.trouble = ({ path }) => (/thread-members/.test(path) ? { status: 500 } : undefined);
  await scene.attend();
  expect(said(thread()?.id ?? "")).toEqual([]);
  // The report is posted here; then the row is reset, as if storing that had failed.
  scene.fake.trouble = () => undefined;
  scene.clock.pass(60_000);
  await scene.attend();
  await database.sql`update discord_submission set state = 'following', reported = 0, tries = 1, due_at = now()`;
  scene.clock.pass(60_000);
  await scene.attend();
  expect(scene.fake.threadsOf("200")).toHaveLength(1);
  expect(said(thread()?.id ?? "")).toHaveLength(2);
});

test("a thread that was begun before a crash is found by its number, and another's of its name is not taken for it", async () => {
  await handIn();
  const id = await latest();
  scene.fake.channel("600", { parent: "200", name: `✅ #${id} kernel.py on cpu`, owner: BOB.id });
  scene.fake.channel("602", { parent: "200", name: `⏳ #${id}1 kernel.py on cpu` });
  const begun = scene.fake.channel("601", { parent: "200", name: `⏳ #${id} kernel.py on cpu`, isPrivate: true });
  await passes();
  await database.sql`update discord_submission set tries = 1`;
  await scene.attend();
  expect(scene.fake.threadsOf("200")).toHaveLength(3);
  expect([said("600"), said("602")]).toEqual([[], []]);
  expect(said(begun.id)).toHaveLength(2);
  expect(begun.name).toMatch(/^✅/);
});

test("while the database is away nothing is refused: intake is asked again", async () => {
  const away = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  const real = database.db.selectFrom.bind(database.db);
  const asking = vi.spyOn(database.db, "selectFrom").mockImplementation(((table: never) => {
    if (table !== "intake_gate") return real(table);
    throw new KernelBotError("unavailable", "the database does not answer; try again in a moment", { cause: away });
  }) as typeof real);
  const token = await handIn();
  expect(await database.sql`select state from discord_submission`).toEqual([{ state: "accepting" }]);
  asking.mockRestore();
  scene.clock.pass(60_000);
  await scene.attend();
  expect(shown(token)).toContain("queued");
});

test("a choice that Discord has not heard the answer to yet is shown where it was made", async () => {
  const first = await handIn({ gpu: "" });
  scene.clock.pass(60_000);
  const [menu] = scene.fake.answers(first)[0]?.parts ?? [];
  const { token, body } = scene.fake.interaction({ user: ANN, press: menu?.custom_id ?? "", values: ["cpu"] });
  const response = await scene.bot.interact(scene.fake.signed(body, scene.clock.now()));
  await scene.attend();
  scene.fake.acknowledge(token, response);
  scene.clock.pass(2000);
  await scene.attend();
  expect(shown(first)).toContain("queued");
});

test("of files whose GPUs nobody chooses, only the latest of a person are kept", async () => {
  for (let n = 0; n < 7; n += 1) await handIn({ gpu: "", source: `# ${n}\n` });
  await linked(database, BOB, bob);
  await handIn({ gpu: "", user: BOB });
  const rows = await database.sql`select user_id, source from discord_submission order by id`;
  expect(rows.map((row) => row["source"])).toEqual(["# 2\n", "# 3\n", "# 4\n", "# 5\n", "# 6\n", "pass\n"]);
});

test("two servers on one database say everything once", async () => {
  const second = await openDatabase({ url: database.url });
  const other = await scene.another(second);
  const token = await handIn({ mode: "ranked" });
  await passes("cpu", "ranked");
  scene.clock.pass(2000);
  await Promise.all([scene.bot.attend(), other.attend()]);
  scene.clock.pass(2000);
  await Promise.all([scene.bot.attend(), other.attend()]);
  expect(shown(token)).toContain("✅ passed");
  expect(said(thread()?.id ?? "")).toHaveLength(2);
  expect(said("200")).toEqual([expect.stringContaining("🥇 First place on cpu: 100.0 ns")]);
  await other.close();
  await second.close();
});

test("a rate limit of a route is kept: a short one is waited for, a long one is tried again when it is over", async () => {
  const token = await handIn();
  let times = 0;
  const limited = (seconds: number, more: object = {}) => ({
    status: 429,
    body: { message: "You are being rate limited.", retry_after: seconds, global: false },
    headers: { "retry-after": String(seconds), "x-ratelimit-scope": "user", ...more },
  });
  scene.fake.trouble = ({ path }) => (path.includes("@original") && (times += 1) === 1 ? limited(0.02) : undefined);
  const run = await claimed(database, box);
  await scene.attend();
  expect(times).toBe(2);
  expect(shown(token)).toContain("running");
  scene.fake.trouble = ({ method, path }) =>
    method === "POST" && path.endsWith("/threads") ? limited(600) : undefined;
  await report(database, box, run.runId, { attempt: run.attempt, from: 0, events: passing("test") });
  await scene.attend();
  expect(thread()).toBeUndefined();
  const [row] = await database.sql<{ error: string; due_at: Date }>`select error, due_at from discord_submission`;
  expect(row?.error).toMatch(/^Discord asks to wait 60[01] s$/);
  expect((row?.due_at.getTime() ?? 0) - scene.clock.now().getTime()).toBeGreaterThan(590_000);
});

test("a token of the bot that Discord refuses for a moment is used again", async () => {
  await handIn();
  await passes();
  scene.fake.trouble = ({ path }) =>
    path.endsWith("/threads") ? { status: 401, body: { message: "401: Unauthorized", code: 0 } } : undefined;
  await scene.attend();
  scene.fake.trouble = () => undefined;
  scene.clock.pass(60_000);
  await scene.attend();
  expect(said(thread()?.id ?? "")).toHaveLength(2);
});

test("a global rate limit holds everything, and what was to be said comes after it", async () => {
  const token = await handIn({ mode: "ranked" });
  await passes("cpu", "ranked");
  let isLimited = true;
  scene.fake.trouble = () =>
    isLimited
      ? {
          status: 429,
          body: { message: "You are being rate limited.", retry_after: 0.05, global: true },
          headers: { "retry-after": "0.05", "x-ratelimit-global": "true", "x-ratelimit-scope": "global" },
        }
      : undefined;
  setTimeout(() => (isLimited = false), 100);
  await scene.attend();
  await scene.attend();
  expect(shown(token)).toContain("✅ passed");
  expect(said("200")).toHaveLength(1);
});

test("while Discord is away the log goes on, and the message catches up", async () => {
  const token = await handIn();
  scene.fake.trouble = () => ({ status: 503 });
  await passes();
  await scene.attend();
  expect(shown(token)).toContain("queued");
  expect(await readSubmission(database, await latest())).toMatchObject({ runs: [{ verdict: "passed" }] });
  scene.fake.trouble = () => undefined;
  scene.clock.pass(60_000);
  await scene.attend();
  expect(shown(token)).toContain("✅ passed");
});
