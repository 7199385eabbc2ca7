import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openDatabase } from "../../db/database.ts";
import { databaseUnavailable } from "../../db/retry.ts";
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
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import type { FakeUser } from "@kernelbot/testing/discord/interaction-body.ts";

useScene();

let scene: DiscordScene;
beforeEach(async () => {
  scene = await openDiscordScene(database);
  await linked(database, ANN, ann);
  return () => scene[Symbol.asyncDispose]();
});
afterEach(() => expect(scene.fake.pings).toEqual([]));

interface FileSubmission {
  user?: FakeUser;
  mode?: string;
  board?: string | undefined;
  gpu?: string | undefined;
  name?: string;
  source?: string | Buffer;
}

/** Submits a file; returns what is shown, and the token to read it later. */
async function submitFile({
  user = ANN,
  mode = "test",
  board = "double",
  gpu = "cpu",
  name,
  source,
}: FileSubmission = {}) {
  const script = scene.fake.attach(name ?? "kernel.py", source ?? "pass\n");
  const options = { script, ...(board !== "" && { leaderboard_name: board }), ...(gpu !== "" && { gpu }) };
  const { token, response } = await scene.send({ user, command: `leaderboard submit ${mode}`, options });
  expect(response).toEqual({ type: 5, data: { flags: 64 } });
  await scene.runPending();
  return token;
}
const shown = (token: string): string => scene.fake.answers(token)[0]?.content ?? "";
const passes = async (target = "cpu", mode: "test" | "ranked" | "profile" = "test", ns = 100) =>
  reported(database, box, await claimed(database, box, target), passing(mode, [ns, ns]));
const messages = (channel: string): string[] =>
  scene.fake.channels.get(channel)?.messages.map(({ content }) => content) ?? [];
const thread = () => scene.fake.threadsOf("200")[0];
const latest = async (): Promise<number> => {
  const [row] = await database.sql<{ id: number }>`select max(id) as id from submission`;
  return row?.id ?? 0;
};

test("progress is shown only to the submitter and updated; the report is posted in a private thread", async () => {
  const token = await submitFile();
  const id = await latest();
  expect(shown(token)).toBe(
    `# Submission **${id}**: \`kernel.py\` for \`double\`\n**cpu** ⏳ queued, position 1 in the queue\n> no runner for cpu is connected; 1 submission queued; last seen never\n<${PUBLIC_URL}/submissions/${id}>`,
  );
  const run = await claimed(database, box);
  const events = passing("test");
  await report(database, box, run.runId, { attempt: run.attempt, from: 0, events: events.slice(0, 3) });
  await scene.runPending();
  expect(shown(token)).toContain("**cpu** ⚙️ running\n> ✓ prepare · ▸ **test**");
  await report(database, box, run.runId, { attempt: run.attempt, from: 3, events: events.slice(3) });
  await scene.runPending();
  expect(shown(token)).toContain("**cpu** ✅ passed");
  expect(thread()).toMatchObject({ name: `✅ #${id} kernel.py on cpu`, isPrivate: true, members: [ANN.id] });
  expect(shown(token)).toContain(`The report is in <#${thread()?.id}>.`);
  const [whole, end] = messages(thread()?.id ?? "");
  expect(whole).toMatch(/^```\ncpu: passed\n[^]*✓ test: 2 of 2 cases passed[^]*\n```$/);
  expect(end).toBe(`See results at <${PUBLIC_URL}/submissions/${id}>`);
  expect(scene.fake.answers(token).every(({ ephemeral }) => ephemeral)).toBe(true);
  expect(messages("200")).toEqual([]);
});

test("the first submission creates an account, which a later sign-in with Discord uses", async () => {
  await submitFile({ user: { id: "77", username: "newcomer", global_name: "New \u202ecomer" } });
  expect(await readSubmission(database, await latest())).toMatchObject({ account: { name: "New comer" } });
  const [identity] = await database.sql`select provider, subject from linked_identity where subject = '77'`;
  expect(identity).toEqual({ provider: "discord", subject: "77" });
});

test("GPUs are chosen in a menu, and the same message then shows the progress", async () => {
  const token = await submitFile({ gpu: "" });
  expect(shown(token)).toBe("Please select the GPU(s) for leaderboard: `double`.");
  const [menu] = scene.fake.answers(token)[0]?.parts ?? [];
  expect(menu?.options?.map(({ value }) => value)).toEqual(["cpu", "H100"]);
  const press = menu?.custom_id ?? "";
  const [message] = scene.fake.answers(token);
  const { parts } = message ?? { parts: [] };
  // Another user cannot use the menu, even though Discord shows it only to its owner.
  await scene.ask({ user: BOB, press, values: ["cpu"] });
  expect(shown(token)).toMatch(/already chosen or the choice has expired/);
  Object.assign(message ?? {}, { parts });
  await scene.send({ user: ANN, press, values: ["H100", "cpu"] });
  await scene.runPending();
  for (const target of ["cpu", "H100"]) expect(shown(token)).toContain(`**${target}** ⏳ queued`);
  expect(scene.fake.answers(token)[0]?.parts).toEqual([]);
  await passes("cpu");
  await scene.runPending();
  expect(thread()).toBeUndefined();
  await passes("H100");
  await scene.runPending();
  expect(messages(thread()?.id ?? "")).toHaveLength(3);
});

test("a thread is not marked as failed for an infrastructure error", async () => {
  await submitFile();
  while ((await database.sql`select id from run where state = 'queued'`).length > 0) {
    await reported(database, box, await claimed(database, box), JUDGE_FAILED);
  }
  await scene.runPending();
  expect(thread()?.name).toMatch(/^⚠️ #\d+ kernel.py on cpu$/);
});

test("directives in the file select the leaderboard and GPUs", async () => {
  const source = "#!POPCORN leaderboard double\n#!POPCORN gpu H100\npass\n";
  const token = await submitFile({ board: "", gpu: "", source });
  expect(shown(token)).toContain("**H100** ⏳ queued");
  const contradicted = await submitFile({ board: "triple", source });
  expect(shown(contradicted)).toMatch(/make them equal/);
});

test.each<[what: string, submission: FileSubmission, sentence: RegExp]>([
  ["no leaderboard", { board: "" }, /set the option leaderboard\\_name/],
  ["an unknown leaderboard", { board: "doubel" }, /board "doubel" not found; did you mean double\?/],
  ["an unknown GPU", { gpu: "B200" }, /the leaderboard double has no GPU "B200"; available: cpu, H100/],
  ["invalid UTF-8", { source: Buffer.from([0x80, 0xfe, 0x41]) }, /not UTF\\-8 text/],
  ["an empty file", { source: " \n" }, /the file is empty/],
  ["too large a file", { source: "#".repeat(1_000_001) }, /too large/],
  ["an extension that the board does not accept", { name: "kernel.rs" }, /double takes \.py/],
])("%s is refused with an explanation, and nothing is stored", async (_, submission, sentence) => {
  expect(shown(await submitFile(submission))).toMatch(sentence);
  expect(await database.sql`select id from submission`).toHaveLength(0);
  expect(await database.sql`select id from discord_submission where source is not null`).toHaveLength(0);
});

test("submitting reports a ban, and closed submissions", async () => {
  await ban(database, root, { account: "ann", reason: "spam" });
  expect(shown(await submitFile())).toMatch(/the account ann is banned: spam/);
  await linked(database, BOB, bob);
  await setGate(database, root, false);
  expect(shown(await submitFile({ user: BOB }))).toMatch(/submissions are closed on this server/);
});

test("attachments are downloaded only from Discord's CDN", async () => {
  const script = { filename: "kernel.py", size: 4, url: "http://169.254.169.254/latest" };
  const answer = await scene.ask({
    user: ANN,
    command: "leaderboard submit test",
    options: { script, leaderboard_name: "double" },
  });
  expect(answer.content).toMatch(/not on Discord's CDN/);
});

test("submitting in another channel than the submissions channel links to it", async () => {
  await linked(database, ROOT, root);
  await scene.ask({ user: ROOT, command: "admin set-channels", options: { submissions: "300" } });
  expect(shown(await submitFile())).toBe("Submit in <#300>.");
});

test("after 15 minutes progress continues in the thread", async () => {
  const token = await submitFile();
  const before = shown(token);
  scene.clock.pass(15 * 60_000);
  scene.fake.expireTokens();
  const run = await claimed(database, box);
  await report(database, box, run.runId, { attempt: run.attempt, from: 0, events: passing("test").slice(0, 1) });
  const requestsBefore = scene.fake.requests.length;
  await scene.runPending();
  expect(
    scene.fake.requests
      .slice(requestsBefore)
      .map(({ path }) => path)
      .join(),
  ).not.toContain("/webhooks/");
  expect(shown(token)).toBe(before);
  expect(thread()).toMatchObject({ name: expect.stringMatching(/^⏳ #/) as string, members: [ANN.id] });
  expect(messages(thread()?.id ?? "")).toEqual([expect.stringContaining("⚙️ running")]);
  await report(database, box, run.runId, { attempt: run.attempt, from: 1, events: passing("test").slice(1) });
  await scene.runPending();
  expect(thread()?.name).toMatch(/^✅ #/);
  expect(messages(thread()?.id ?? "")).toEqual([
    expect.stringContaining("✅ passed"),
    expect.stringContaining("cpu: passed"),
    expect.stringContaining("See results at"),
  ]);
});

test("an interaction token that Discord rejects early (50027) is no longer used", async () => {
  const token = await submitFile();
  scene.clock.pass(60_000);
  scene.fake.expireTokens();
  await passes();
  await scene.runPending();
  await scene.runPending();
  expect(shown(token)).toContain("queued");
  expect(messages(thread()?.id ?? "").join()).toContain("✅ passed");
  expect(await database.sql`select state, token from discord_submission`).toEqual([{ state: "done", token: null }]);
});

test("without a thread, the report is sent as a direct message", async () => {
  scene.fake.trouble = ({ path }) =>
    path.endsWith("/threads") ? { status: 403, body: { message: "Missing Permissions", code: 50_013 } } : undefined;
  const token = await submitFile();
  await passes();
  await scene.runPending();
  expect(messages(`9${ANN.id}`)).toEqual([
    expect.stringContaining("cpu: passed"),
    expect.stringContaining("See results"),
  ]);
  expect(shown(token)).toContain("✅ passed");
});

test("a submission from direct messages is reported there", async () => {
  const script = scene.fake.attach("kernel.py", "pass\n");
  const options = { script, leaderboard_name: "double", gpu: "cpu" };
  await scene.send({ user: ANN, guild: null, channel: "500", command: "leaderboard submit ranked", options });
  await scene.runPending();
  await passes("cpu", "ranked");
  await scene.runPending();
  await scene.runPending();
  expect(messages("500")).toEqual([expect.stringContaining("cpu: passed"), expect.stringContaining("See results")]);
});

test("without a channel for the report, the private response and the announcement are still sent", async () => {
  const token = await submitFile({ mode: "ranked" });
  scene.fake.trouble = ({ method, path }) => {
    if (method === "POST" && path.endsWith("/threads")) {
      return { status: 403, body: { message: "Missing Permissions", code: 50_013 } };
    }
    const isDirect = path.startsWith(`/channels/9${ANN.id}/`);
    return isDirect ? { status: 403, body: { message: "Cannot send messages to this user", code: 50_007 } } : undefined;
  };
  scene.clock.pass(60_000);
  await passes("cpu", "ranked");
  await scene.runPending();
  await scene.runPending();
  expect(shown(token)).toContain("✅ passed");
  expect(messages("200")).toEqual([expect.stringContaining("🥇 First place on cpu")]);
  expect(await database.sql`select state, error from discord_submission`).toMatchObject([
    { state: "lost", error: expect.stringContaining("Cannot send messages") as string },
  ]);
  expect(await readSubmission(database, await latest())).toMatchObject({ runs: [{ verdict: "passed" }] });
});

test("if no progress can be sent, the result is sent as soon as possible", async () => {
  await submitFile();
  scene.clock.pass(15 * 60_000);
  scene.fake.expireTokens();
  scene.fake.trouble = ({ path }) =>
    path.startsWith("/channels/") ? { status: 403, body: { message: "Missing Access", code: 50_001 } } : undefined;
  const run = await claimed(database, box);
  await scene.runPending();
  scene.fake.trouble = () => undefined;
  await reported(database, box, run, passing("test"));
  await scene.runPending();
  expect(messages(`9${ANN.id}`).join()).toContain("cpu: passed");
});

test("an archived thread is reopened", async () => {
  await submitFile();
  scene.clock.pass(15 * 60_000);
  scene.fake.expireTokens();
  const run = await claimed(database, box);
  await scene.runPending();
  Object.assign(thread() ?? {}, { archived: true });
  await report(database, box, run.runId, { attempt: run.attempt, from: 0, events: passing("test").slice(0, 3) });
  await scene.runPending();
  expect(messages(thread()?.id ?? "")).toEqual([expect.stringContaining("▸ **test**")]);
  expect(thread()?.archived).toBe(false);
});

test("a report longer than a message is attached as a file", async () => {
  await submitFile();
  const lines = Array.from({ length: 50 }, (_, line) => `line ${line} ${"x".repeat(60)}`).join("\n");
  const [verdict] = failing("crash");
  await reported(database, box, await claimed(database, box), [
    { ...verdict, detail: lines } as typeof verdict & object,
  ]);
  await scene.runPending();
  const [first] = scene.fake.channels.get(thread()?.id ?? "")?.messages ?? [];
  expect(first?.content).toBe("```\ncpu: failed: crash\n```");
  expect(first?.files).toEqual([{ name: "report-cpu.txt", text: expect.stringContaining("line 49") as string }]);
});

test("a message of special characters is cut so that it fits with its escapes", async () => {
  const token = await submitFile();
  await reported(database, box, await claimed(database, box), failing("wrong_result", "*".repeat(20_000)));
  await scene.runPending();
  expect(shown(token)).toContain("❌ failed");
  expect(scene.fake.answers(token)[0]?.files).toEqual([]);
});

test("hostile names and output cannot mention users, forge lines or end code blocks", async () => {
  const name = "@everyone `**[x](x)** <@99>```.py";
  const token = await submitFile({ name });
  const [verdict] = failing("wrong_result", "@everyone **look** https://evil.example\n# heading");
  const detail = "```\n@everyone escaped\n``````\n**bold**`";
  await reported(database, box, await claimed(database, box), [{ ...verdict, detail } as typeof verdict & object]);
  await scene.runPending();
  expect(shown(token)).toContain("`@everyone '**[x](x)** <@99>'''.py`");
  expect(shown(token)).toContain("> @\u200beveryone \\*\\*look\\*\\* https:\u200b//evil.example \\# heading");
  const [block = ""] = messages(thread()?.id ?? "");
  expect(block.startsWith("```\n") && block.endsWith("\n```")).toBe(true);
  expect(block.slice(4, -4)).not.toContain("```");
});

test("a crash during intake neither loses nor repeats the submission", async () => {
  const script = scene.fake.attach("kernel.py", "pass\n");
  const options = { script, leaderboard_name: "double", gpu: "cpu" };
  const dying = await openDatabase({ url: database.url });
  const { token, body } = scene.fake.interaction({ user: ANN, command: "leaderboard submit test", options });
  const other = await scene.another(dying);
  scene.fake.acknowledge(token, await other.interact(scene.fake.signed(body, scene.clock.now())));
  // Simulates a server that ends between the commit of the submission and its message to Discord.
  scene.fake.trouble = ({ path }) => (path.includes("/webhooks/") ? { status: 500 } : undefined);
  await other.runPending();
  await dying.close();
  expect(await database.sql`select id from submission`).toHaveLength(1);
  await database.sql`update discord_submission set state = 'accepting', submission_id = null, source = 'pass' || chr(10),
    lease_until = now() + interval '1 minute', due_at = now()`;
  scene.fake.trouble = () => undefined;
  await scene.runPending();
  expect(shown(token)).toBe("");
  scene.clock.pass(130_000);
  await scene.runPending();
  expect(shown(token)).toContain("queued");
  expect(await database.sql`select id from submission`).toHaveLength(1);
  await other.close();
});

test("a submission is stored before its command is acknowledged", async () => {
  const script = scene.fake.attach("kernel.py", "pass\n");
  const options = { script, leaderboard_name: "double", gpu: "cpu" };
  const dying = await openDatabase({ url: database.url });
  const { token, body } = scene.fake.interaction({ user: ANN, command: "leaderboard submit test", options });
  const other = await scene.another(dying);
  const response = await other.interact(scene.fake.signed(body, scene.clock.now()));
  await dying.close();
  scene.fake.acknowledge(token, response);
  await scene.runPending();
  expect(shown(token)).toContain("queued");
  await other.close();
});

test("after a crash, reporting continues in the same thread without repeated messages", async () => {
  await submitFile();
  await passes();
  scene.fake.trouble = ({ path }) => (/thread-members/.test(path) ? { status: 500 } : undefined);
  await scene.runPending();
  expect(messages(thread()?.id ?? "")).toEqual([]);
  // The report is posted here; then the row is reset, as if storing that had failed.
  scene.fake.trouble = () => undefined;
  scene.clock.pass(60_000);
  await scene.runPending();
  await database.sql`update discord_submission set state = 'following', reported = 0, tries = 1, due_at = now()`;
  scene.clock.pass(60_000);
  await scene.runPending();
  expect(scene.fake.threadsOf("200")).toHaveLength(1);
  expect(messages(thread()?.id ?? "")).toHaveLength(2);
});

test("after a crash, the bot's own thread is found by the submission's number", async () => {
  await submitFile();
  const id = await latest();
  scene.fake.channel("600", { parent: "200", name: `✅ #${id} kernel.py on cpu`, owner: BOB.id });
  scene.fake.channel("602", { parent: "200", name: `⏳ #${id}1 kernel.py on cpu` });
  const begun = scene.fake.channel("601", { parent: "200", name: `⏳ #${id} kernel.py on cpu`, isPrivate: true });
  await passes();
  await database.sql`update discord_submission set tries = 1`;
  await scene.runPending();
  expect(scene.fake.threadsOf("200")).toHaveLength(3);
  expect([messages("600"), messages("602")]).toEqual([[], []]);
  expect(messages(begun.id)).toHaveLength(2);
  expect(begun.name).toMatch(/^✅/);
});

test.each([
  ["is restarting", databaseUnavailable(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }))],
  ["is frozen", databaseUnavailable()],
])("a file that is submitted while the database %s is not refused, but submitted later", async (_, error) => {
  const real = database.db.selectFrom.bind(database.db);
  const asking = vi.spyOn(database.db, "selectFrom").mockImplementation(((table: never) => {
    if (table !== "intake_gate") return real(table);
    throw error;
  }) as typeof real);
  const token = await submitFile();
  expect(await database.sql`select state from discord_submission`).toEqual([{ state: "accepting" }]);
  asking.mockRestore();
  scene.clock.pass(60_000);
  await scene.runPending();
  expect(shown(token)).toContain("queued");
});

test("progress after a choice is shown in the message of the menu", async () => {
  const first = await submitFile({ gpu: "" });
  scene.clock.pass(60_000);
  const [menu] = scene.fake.answers(first)[0]?.parts ?? [];
  const { token, body } = scene.fake.interaction({ user: ANN, press: menu?.custom_id ?? "", values: ["cpu"] });
  const response = await scene.bot.interact(scene.fake.signed(body, scene.clock.now()));
  await scene.runPending();
  scene.fake.acknowledge(token, response);
  scene.clock.pass(2000);
  await scene.runPending();
  expect(shown(first)).toContain("queued");
});

test("only a user's latest files without a chosen GPU are kept", async () => {
  for (let n = 0; n < 7; n += 1) await submitFile({ gpu: "", source: `# ${n}\n` });
  await linked(database, BOB, bob);
  await submitFile({ gpu: "", user: BOB });
  const rows = await database.sql`select user_id, source from discord_submission order by id`;
  expect(rows.map((row) => row["source"])).toEqual(["# 2\n", "# 3\n", "# 4\n", "# 5\n", "# 6\n", "pass\n"]);
});

test("two servers on one database send every message once", async () => {
  const second = await openDatabase({ url: database.url });
  const other = await scene.another(second);
  const token = await submitFile({ mode: "ranked" });
  await passes("cpu", "ranked");
  scene.clock.pass(2000);
  await Promise.all([scene.bot.runPending(), other.runPending()]);
  scene.clock.pass(2000);
  await Promise.all([scene.bot.runPending(), other.runPending()]);
  expect(shown(token)).toContain("✅ passed");
  expect(messages(thread()?.id ?? "")).toHaveLength(2);
  expect(messages("200")).toEqual([expect.stringContaining("🥇 First place on cpu: 10.00× speedup")]);
  await other.close();
  await second.close();
});

test("waits for a short route rate limit and retries after a long one", async () => {
  const token = await submitFile();
  let times = 0;
  const limited = (seconds: number, more: object = {}) => ({
    status: 429,
    body: { message: "You are being rate limited.", retry_after: seconds, global: false },
    headers: { "retry-after": String(seconds), "x-ratelimit-scope": "user", ...more },
  });
  scene.fake.trouble = ({ path }) => (path.includes("@original") && (times += 1) === 1 ? limited(0.02) : undefined);
  const run = await claimed(database, box);
  await scene.runPending();
  expect(times).toBe(2);
  expect(shown(token)).toContain("running");
  scene.fake.trouble = ({ method, path }) =>
    method === "POST" && path.endsWith("/threads") ? limited(600) : undefined;
  await report(database, box, run.runId, { attempt: run.attempt, from: 0, events: passing("test") });
  await scene.runPending();
  expect(thread()).toBeUndefined();
  const [row] = await database.sql<{ error: string; due_at: Date }>`select error, due_at from discord_submission`;
  expect(row?.error).toMatch(/^Discord rate limit: retry after 60[01] s$/);
  expect((row?.due_at.getTime() ?? 0) - scene.clock.now().getTime()).toBeGreaterThan(590_000);
});

test("the bot token is used again after a temporary 401", async () => {
  await submitFile();
  await passes();
  scene.fake.trouble = ({ path }) =>
    path.endsWith("/threads") ? { status: 401, body: { message: "401: Unauthorized", code: 0 } } : undefined;
  await scene.runPending();
  scene.fake.trouble = () => undefined;
  scene.clock.pass(60_000);
  await scene.runPending();
  expect(messages(thread()?.id ?? "")).toHaveLength(2);
});

test("a global rate limit delays all messages", async () => {
  const token = await submitFile({ mode: "ranked" });
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
  await scene.runPending();
  await scene.runPending();
  expect(shown(token)).toContain("✅ passed");
  expect(messages("200")).toHaveLength(1);
});

test("during a Discord outage runs continue, and the message is updated afterwards", async () => {
  const token = await submitFile();
  scene.fake.trouble = () => ({ status: 503 });
  await passes();
  await scene.runPending();
  expect(shown(token)).toContain("queued");
  expect(await readSubmission(database, await latest())).toMatchObject({ runs: [{ verdict: "passed" }] });
  scene.fake.trouble = () => undefined;
  scene.clock.pass(60_000);
  await scene.runPending();
  expect(shown(token)).toContain("✅ passed");
});
