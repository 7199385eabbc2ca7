import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase, type Database } from "../database.ts";
import { idempotent } from "../idempotent.ts";
import { findPostmaster, isPostmaster } from "./postmaster.ts";
import { createTemporaryFolder, deleteAbandonedFolders } from "./temporary.ts";

let dataDir: string;
const opened: Database[] = [];

/** Template cluster, created once because creating one takes seconds. */
const seed = temporaryFolder();

beforeAll(async () => {
  const database = await openDatabase({ dataDir: seed });
  await database.close();
});

beforeEach(() => {
  dataDir = temporaryFolder();
  execFileSync("cp", ["-a", `${seed}/.`, dataDir]);
});

afterAll(() => rmSync(seed, { recursive: true, force: true }));

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Returns a folder that the database's own user may enter, unlike the temporary folder of root. */
function temporaryFolder(): string {
  const folder = mkdtempSync("/var/tmp/kernelbot-test-");
  chmodSync(folder, 0o755);
  return folder;
}

async function open(log: (sentence: string) => void = () => undefined): Promise<Database> {
  const database = await openDatabase({ dataDir, log });
  opened.push(database);
  return database;
}

function postmaster(): number {
  const found = findPostmaster(join(dataDir, "postgres"));
  if (found === undefined) throw new Error("the database does not run");
  return found.pid;
}

test("committed data survives an orderly close", async () => {
  const first = await openDatabase({ dataDir });
  await first.db.insertInto("account").values({ name: "ann" }).execute();
  await first.close();
  expect(findPostmaster(join(dataDir, "postgres"))).toBeUndefined();
  const second = await open();
  expect(await second.db.selectFrom("account").select("name").execute()).toEqual([{ name: "ann" }]);
});

test("opens no port, and only the database's own user can enter its socket and data folders", async () => {
  const { sql } = await open();
  expect(await sql`show listen_addresses`).toEqual([{ listen_addresses: "" }]);
  for (const folder of ["socket", "postgres"]) {
    const { mode, uid } = statSync(join(dataDir, folder));
    expect(mode & 0o777).toBe(0o700);
    if (process.getuid?.() === 0) expect([0, 65_534]).not.toContain(uid);
  }
});

test("commits wait for the disk", async () => {
  const { sql } = await open();
  expect(await sql`select current_setting('fsync') as fsync, current_setting('synchronous_commit') as wait`).toEqual([
    { fsync: "on", wait: "on" },
  ]);
});

test("rejects a second server on the same data, naming the first", async () => {
  const { sql } = await open();
  await expect(openDatabase({ dataDir })).rejects.toThrow(
    new RegExp(`another server \\(kernelbot-server ${process.pid} on .*\\) already uses ${dataDir}`),
  );
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
});

test("adopts the database that a killed server left running", async () => {
  await runAndKill(`
    const { db } = await openDatabase({ dataDir: process.argv[1] });
    await db.insertInto("account").values({ name: "left behind" }).execute();
    console.log("ready");`);
  const left = postmaster();
  const sentences: string[] = [];
  const { db } = await open((sentence) => sentences.push(sentence));
  expect(postmaster()).toBe(left);
  expect(sentences).toEqual([`adopting the running database, process ${left}`]);
  expect(await db.selectFrom("account").select("name").execute()).toEqual([{ name: "left behind" }]);
});

/** Runs a script with the data folder as its argument, and kills it after its first line of output, which is returned. */
async function runAndKill(script: string): Promise<string> {
  const imports = `
    import { openDatabase, openPlace } from ${JSON.stringify(join(import.meta.dirname, "../database.ts"))};
    import { createTemporaryFolder } from ${JSON.stringify(join(import.meta.dirname, "temporary.ts"))};`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", imports + script, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = (await once(child.stdout, "data")) as [Buffer];
  child.kill("SIGKILL");
  await once(child, "exit");
  return output.toString().trim();
}

test("the temporary database of a killed process is stopped and deleted, and that of a running one is kept", async () => {
  const left = await runAndKill(`
    const folder = await createTemporaryFolder(process.argv[1]);
    await openPlace({ dataDir: folder });
    console.log(folder);`);
  const cluster = join(left, "postgres");
  const { pid } = findPostmaster(cluster) ?? { pid: 0 };
  expect(isPostmaster(pid, cluster)).toBe(true);
  const own = await createTemporaryFolder(dataDir);
  const logged: string[] = [];
  await deleteAbandonedFolders(dataDir, (line) => logged.push(line));
  expect(isPostmaster(pid, cluster)).toBe(false);
  expect(existsSync(left)).toBe(false);
  expect(existsSync(own)).toBe(true);
  expect(logged).toEqual([`deleted ${left}, which a process that has ended left behind`]);
});

test("a start deletes the copy that a killed start did not finish", async () => {
  const unfinished = join(dataDir, "postgres.unfinished-999999999");
  mkdirSync(join(unfinished, "base"), { recursive: true });
  await open();
  expect(existsSync(unfinished)).toBe(false);
});

test("a stale pid file does not keep the database from starting", async () => {
  const first = await openDatabase({ dataDir });
  const pidFile = join(dataDir, "postgres/postmaster.pid");
  const text = readFileSync(pidFile, "utf8");
  await first.close();
  writeFileSync(pidFile, text.replace(/^\d+/, String(process.pid)));
  const { sql } = await open();
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
});

test("a database killed during writes recovers without losing accepted data", async () => {
  const { db, sql, listen } = await open();
  const received = new Set<string>();
  let connected = 0;
  await listen("queue", { onNotify: (payload) => received.add(payload), onConnected: () => (connected += 1) });
  let accepted = 0;
  let stop = false;
  const workers = Array.from({ length: 8 }, async (_, worker) => {
    for (let n = 0; !stop; n += 1) {
      const name = `${worker}-${n}`;
      await idempotent(db)
        .insertInto("account")
        .values({ name })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      accepted += 1;
    }
  });
  for (let kills = 0; kills < 3; kills += 1) {
    const pid = postmaster();
    const before = accepted;
    while (accepted < before + 200) await new Promise(setImmediate);
    process.kill(pid, "SIGKILL");
    const gone = accepted;
    while (accepted < gone + 200) await new Promise(setImmediate);
    expect(postmaster()).not.toBe(pid);
  }
  stop = true;
  await Promise.all(workers);
  const rows = await db.selectFrom("account").select("name").execute();
  expect(rows).toHaveLength(accepted);
  // Listening resumes too, but not at the same moment as the queries.
  while (!received.has("again")) await sql`select pg_notify('queue', 'again')`;
  expect(connected).toBeGreaterThan(1);
});

test.runIf(process.getuid?.() === 0)(
  "as root, rejects a folder that the database's user cannot enter, with advice",
  async () => {
    chmodSync(dataDir, 0o700);
    const inner = join(dataDir, "inner");
    mkdirSync(inner);
    await expect(openDatabase({ dataDir: inner })).rejects.toThrow(
      new RegExp(`may not enter ${dataDir}\\. Choose a folder that every user may enter`),
    );
  },
);

test.runIf(process.getuid?.() === 0)(
  "as root, rejects a data folder copied without its owners, with the command to fix it",
  async () => {
    const cluster = join(dataDir, "postgres");
    const { uid } = statSync(cluster);
    execFileSync("chown", ["-R", "0:0", cluster]);
    const remedy = new RegExp(
      `belongs to user id 0, as after a copy .*: give it back with (chown -R ${uid}:\\d+ ${cluster})$`,
    );
    const refusal = await openDatabase({ dataDir }).catch((error: unknown) => (error as Error).message);
    expect(refusal).toMatch(remedy);
    execFileSync("sh", ["-c", remedy.exec(refusal as string)?.[1] ?? "false"]);
    await open();
  },
);

test("supports a data folder whose path exceeds the socket limit, and leaves no folder behind", async () => {
  const long = join(dataDir, "x".repeat(120));
  const database = await openDatabase({ dataDir: long });
  expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
  const socketDirectory = findPostmaster(join(long, "postgres"))?.socketDirectory ?? "";
  expect(existsSync(socketDirectory)).toBe(true);
  await database.close();
  expect(existsSync(socketDirectory)).toBe(false);
});
