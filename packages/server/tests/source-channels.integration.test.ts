/** A file is one source with one hash, and its name is accepted or refused, by whatever channel it arrives. */
import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSource } from "@kernelbot/cli/src/submission/source-file.ts";
import { ANN, linked, openDiscordScene, type DiscordScene } from "@kernelbot/testing/discord/discord.ts";
import { HERE } from "@kernelbot/testing/fake-browser.ts";
import { request } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { beginSession } from "../src/auth/sessions.ts";
import { authenticate } from "../src/auth/tokens.ts";
import { newKey } from "../src/submissions/routes/editor-form.ts";

let testServer: TestServer;
let discord: DiscordScene;
let token: string;
let cookie: string;

beforeAll(async () => {
  testServer = await openTestServer();
  token = await testServer.token("ann", ["submit", "read", "account"]);
  const ann = await authenticate(testServer.database, token);
  discord = await openDiscordScene(testServer.database);
  await linked(testServer.database, ANN, ann);
  const browser = { address: "192.0.2.1", userAgent: "Browser/1" };
  const session = await testServer.database.db
    .transaction()
    .execute((open) => beginSession(open, ann.account.id, browser));
  cookie = `kernelbot_session=${session}`;
});
afterAll(async () => {
  await discord[Symbol.asyncDispose]();
  await testServer[Symbol.asyncDispose]();
});

interface UploadedFile {
  name: string;
  bytes: Buffer;
}

function formOf(fields: Record<string, string | File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

const fileOf = ({ name, bytes }: UploadedFile) => new File([new Uint8Array(bytes)], name);

function sendJson(fileName: string, source: string): Promise<Response> {
  const body = JSON.stringify(request({ fileName, source }));
  return testServer.ask("/api/v1/submissions", token, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

function sendForm(fields: Record<string, string | File>): Promise<Response> {
  const body = formOf({ mode: "test", target: "cpu", key: newKey(), ...fields });
  return testServer.ask("/problems/double/submit", undefined, {
    method: "POST",
    headers: { origin: HERE, cookie },
    body,
  });
}

/** Each sends the file, and returns whether it was accepted. */
const CHANNELS: Record<string, (file: UploadedFile) => Promise<boolean>> = {
  "the command line": async ({ name, bytes }) => {
    const path = join(mkdtempSync(join(tmpdir(), "file-")), name);
    writeFileSync(path, bytes);
    const file = await readSource(path).catch(() => null);
    return file !== null && (await sendJson(file.fileName, file.source)).ok;
  },
  "JSON of the API": async ({ name, bytes }) => (await sendJson(name, bytes.toString())).ok,
  "a form of the API": async (file) => {
    const body = formOf({ board: "double", mode: "test", target: "cpu", file: fileOf(file) });
    return (await testServer.ask("/api/v1/submissions", token, { method: "POST", body })).ok;
  },
  "the site's upload": async (file) =>
    (await sendForm({ fileName: "", source: "", file: fileOf(file) })).status === 303,
  "the site's text field": async ({ name, bytes }) =>
    (await sendForm({ fileName: name, source: bytes.toString().replaceAll(/\r?\n/g, "\r\n") })).status === 303,
  "the popcorn client": async (file) =>
    (
      await testServer.ask("/submission/double/cpu/test", undefined, {
        method: "POST",
        headers: { "x-popcorn-cli-id": token },
        body: formOf({ file: fileOf(file) }),
      })
    ).ok,
  Discord: async ({ name, bytes }) => {
    const options = { script: discord.fake.attach(name, bytes), leaderboard_name: "double", gpu: "cpu" };
    const { token: answer } = await discord.send({ user: ANN, command: "leaderboard submit test", options });
    await discord.runPending();
    return (discord.fake.answers(answer)[0]?.content ?? "").includes("queued");
  },
};

let last = 0;

/** Returns the channels that accept the file, and what each stored. */
async function send(file: UploadedFile): Promise<Record<string, { name: string; hash: string }>> {
  const { database } = testServer;
  const stored: Record<string, { name: string; hash: string }> = {};
  for (const [channel, accepts] of Object.entries(CHANNELS)) {
    const isAccepted = await accepts(file);
    const [row] = await database.sql<{ id: number; name: string; hash: string }>`
      select id, file_name as name, encode(code_hash, 'hex') as hash from submission order by id desc limit 1`;
    if (!isAccepted || row === undefined) continue;
    expect(row.id, `${channel} created a submission`).not.toBe(last);
    last = row.id;
    stored[channel] = { name: row.name, hash: row.hash };
  }
  return stored;
}

const LINES = [
  "#!POPCORN leaderboard double",
  "# 两个向量相加 — naïve version",
  "def custom_kernel(data):",
  "    return data",
  "",
];
const HASH = createHash("sha256").update(LINES.join("\n")).digest("hex");

test.each([
  ["with LF line ends", Buffer.from(LINES.join("\n"))],
  ["with a byte order mark and CRLF line ends", Buffer.from(`\ufeff${LINES.join("\r\n")}`)],
  ["with the line ends of old Macs", Buffer.from(LINES.join("\r"))],
])("a file %s has the same source and SHA-256 by every channel", async (_, bytes) => {
  const stored = await send({ name: "kernel.py", bytes });
  expect(stored).toEqual(
    Object.fromEntries(Object.keys(CHANNELS).map((each) => [each, { name: "kernel.py", hash: HASH }])),
  );
});

test.each(["kernel (1).py", "ядро.py", "カーネルガ.py".normalize("NFD"), "aux.py", "$(id).py", "<b>.py", "emoji🍿.py"])(
  "every channel accepts the file name %j and keeps it",
  async (name) => {
    const stored = await send({ name, bytes: Buffer.from(LINES.join("\n")) });
    expect(Object.keys(stored)).toEqual(Object.keys(CHANNELS));
    expect(new Set(Object.values(stored).map((each) => each.name))).toEqual(new Set([name]));
  },
);

test.each(["kernel.py.txt", "kernel", ".py", "submission.py ", "kernel\u202eyp.txt.py", `${"a".repeat(198)}.py`])(
  "every channel refuses the file name %j",
  async (name) => {
    expect(await send({ name, bytes: Buffer.from(LINES.join("\n")) })).toEqual({});
  },
);
