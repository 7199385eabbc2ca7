/** The restore drill of docs/guides/back-up-and-restore.md: a server is backed up while it runs, lost, and restored from the backup. */
import { execFile } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createClient, type Client } from "@kernelbot/api";
import { checkReceipt, Claimed, type JudgeEvent } from "@kernelbot/core";
import { startServer, stop, type RunningServer } from "../../../../../scripts/processes.ts";
import { openDatabase, type Database } from "../../db/database.ts";
import { createAccount, issueToken } from "../../auth/tokens.ts";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import { MACHINE, passing, problemFiles, problemTree, request } from "@kernelbot/testing/fixtures.ts";

const MAIN = join(import.meta.dirname, "../../main.ts");
const PROFILE = "where the time goes";

let folder: string;
let problems: string;
let token: string;
let runner: string;
let server: RunningServer | undefined;
const urls: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(inject("scratch"), "drill-"));
  writeFileSync(
    join(folder, "key.pem"),
    generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }),
  );
  problems = problemTree({ "set/double": problemFiles() });
  urls.push(await emptyDatabase(), await emptyDatabase());
});
afterAll(async () => {
  if (server !== undefined) await stop(server.process, "SIGKILL");
});

async function start(place: number): Promise<Client> {
  const env = { DATABASE_URL: urls[place] ?? "", KERNELBOT_SIGNING_KEY: join(folder, "key.pem") };
  server = await startServer({ dataDir: join(folder, `data-${place}`), problems, env });
  token ||= server.token;
  return createClient({ server: server.url, token });
}

/** Runs a command of the documentation with the database of one of the two servers. */
function command(place: number, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, DATABASE_URL: urls[place] };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args, "--data", join(folder, `data-${place}`)], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

const send = (path: string, method: string, type: string, body: string): Promise<Response> =>
  fetch(`${server?.url}/api/v1/runner${path}`, {
    method,
    headers: { authorization: `Bearer ${runner}`, "content-type": type },
    body,
  });

async function claim(): Promise<Claimed> {
  const request = { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 };
  return Claimed.parse(await (await send("/claim", "POST", "application/json", JSON.stringify(request))).json());
}

async function report({ runId, attempt }: Claimed, events: JudgeEvent[]): Promise<void> {
  const body = JSON.stringify({ attempt, from: 0, events });
  expect((await send(`/runs/${runId}/report`, "POST", "application/json", body)).status).toBe(200);
}

/** Returns everything that a schema consists of. */
async function shapeOf(url: string): Promise<unknown[]> {
  const database = await openDatabase({ url });
  const rows = await database.sql`
    select conrelid::regclass::text || ' ' || pg_get_constraintdef(oid) as line from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select tgrelid::regclass::text || ' ' || tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal
    union all select indexdef from pg_indexes where schemaname = 'public' order by 1`;
  await database.close();
  return rows;
}

/** Inserts rows that fill every buffer: those of streams, gzip and the socket. */
async function fillBuffers({ sql }: Database): Promise<void> {
  await sql`insert into code (hash, source, fingerprinted)
    select sha256(n::text::bytea), repeat(md5(n::text), 2500), true from generate_series(1, 100) n`;
}

test("restores everything from a backup: boards, receipts, artifacts, tokens, snapshots and the queue", async () => {
  const first = await start(0);
  const database = await openDatabase({ url: urls[0] });
  const { id: accountId } = await createAccount(database, "box");
  runner = await issueToken(database, { accountId, label: "test", scopes: ["runner"], targets: ["cpu"] });
  await database.sql`insert into dataset_snapshot (competitions, state, due_at, finished_at, manifest)
    values ('{spring}', 'ready', null, now(), '{}')`;
  await fillBuffers(database);
  await database.close();
  mkdirSync(join(folder, "data-0/datasets/1"), { recursive: true });
  writeFileSync(join(folder, "data-0/datasets/1/README.md"), "a snapshot");

  const { id } = await first.submit(request({ mode: "ranked", source: "# é\t\\N\r\n\u{1f600}" }));
  const ranked = await claim();
  await report(ranked, passing("ranked", [100, 200]));
  await first.submit(request({ mode: "profile" }));
  const profiled = await claim();
  const name = "profile.txt";
  await send(`/runs/${profiled.runId}/artifacts/${name}?attempt=1`, "PUT", "text/plain", PROFILE);
  const sha256 = createHash("sha256").update(PROFILE).digest("hex");
  const events = passing("profile");
  const artifact = {
    type: "artifact",
    stage: "profile",
    name,
    mediaType: "text/plain",
    sizeBytes: PROFILE.length,
    sha256,
  };
  await report(profiled, [...events.slice(0, 3), artifact as JudgeEvent, ...events.slice(3)]);
  const waiting = await first.submit(request({ mode: "test" }));
  const [board, receipt, keys] = await Promise.all([
    first.board("double", "cpu"),
    first.receipt(ranked.runId),
    first.keys(),
  ]);
  expect(board.rows).toHaveLength(1);

  const backup = join(folder, "backup");
  expect(await command(0, "backup", "--to", backup)).toMatchObject({
    code: 0,
    out: expect.stringContaining("1 objects and 1 snapshots") as string,
  });
  await stop((server as RunningServer).process, "SIGKILL");
  rmSync(join(folder, "data-0"), { recursive: true });

  expect(await command(1, "restore", "--from", backup)).toMatchObject({ code: 0, err: "" });
  const second = await start(1);
  expect(await second.board("double", "cpu")).toEqual(board);
  expect(await second.source(id)).toBe("# é\t\\N\n\u{1f600}");
  expect(await second.receipt(ranked.runId)).toBe(receipt);
  expect(await second.keys()).toEqual(keys);
  const { checks } = await checkReceipt(JSON.parse(receipt), { keys });
  expect(checks.find(({ name }) => name === "signature")?.ok).toBe(true);
  const path = `/api/v1/runs/${profiled.runId}/artifacts/${name}`;
  const got = await fetch(`${server?.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(await got.text()).toBe(PROFILE);
  expect(readdirSync(join(folder, "data-1/datasets/1"))).toEqual(["README.md"]);
  const next = await claim();
  await report(next, passing("test"));
  expect((await second.submission(waiting.id)).runs[0]).toMatchObject({ verdict: "passed" });
  expect((await second.submit(request())).id).toBeGreaterThan(waiting.id);
  expect(await shapeOf(urls[1] ?? "")).toEqual(await shapeOf(urls[0] ?? ""));

  expect(await command(1, "restore", "--from", backup)).toMatchObject({
    code: 3,
    err: "kernelbot-server: the database is not empty; restore into an empty one\n",
  });
});
