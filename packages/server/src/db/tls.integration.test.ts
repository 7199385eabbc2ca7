/** Connections over TLS, to a PostgreSQL of its own: the one of the other tests listens on a Unix socket only. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { sql, type Kysely } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../../../scripts/processes.ts";
import { openClient } from "./client.ts";
import { openDatabase, type Database } from "./database.ts";
import { findBinaries } from "./embedded/binaries.ts";
import { DATABASE_USER, ensureCluster } from "./embedded/cluster.ts";
import { ownerOf } from "./embedded/owner.ts";
import type { Tables } from "./tables.ts";
import { runTransaction } from "./transaction.ts";

let folder: string;
let postgres: ChildProcess;
let url: string;

beforeAll(async () => {
  // A folder that the database's own user may enter, unlike the temporary folder of root.
  folder = mkdtempSync("/var/tmp/kernelbot-tls-");
  chmodSync(folder, 0o755);
  const [cluster, key, certificate] = [join(folder, "postgres"), join(folder, "key.pem"), join(folder, "cert.pem")];
  const owner = ownerOf(cluster);
  const binaries = findBinaries(folder, owner);
  ensureCluster(cluster, binaries, owner);
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", [...made, ...subject, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  if (owner !== undefined) chownSync(key, owner.uid, owner.gid);
  const port = await freePort();
  const settings = {
    ...{ listen_addresses: "127.0.0.1", port: String(port), unix_socket_directories: "" },
    ...{ ssl: "on", ssl_key_file: key, ssl_cert_file: certificate },
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  postgres = spawn(binaries.postgres, ["-D", cluster, ...options], { ...owner, cwd: "/", stdio: "ignore" });
  url = `postgres://${DATABASE_USER}@localhost:${port}/postgres?sslmode=require`;
  const database = await openDatabase({ url, waiting: new AbortController().signal });
  await database.close();
});

afterAll(async () => {
  const ended = once(postgres, "exit");
  postgres.kill("SIGINT");
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

/** Uses the connection for statements, and one for transactions. */
function use({ db }: Database): Promise<boolean[]> {
  const isEncrypted = (by: Kysely<Tables>) =>
    sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(by);
  const both = [isEncrypted(db), runTransaction(db, isEncrypted)];
  return Promise.all(both.map(async (result) => (await result).rows[0]?.ssl === true));
}

test("connections that the database ends leave the pools, and others replace them", async () => {
  const database = await openDatabase({ url });
  const admin = openClient({ url });
  const notification = Promise.withResolvers<string>();
  let listening = 0;
  await database.listen("change", { onNotify: notification.resolve, onConnected: () => (listening += 1) });
  // More often than a pool has connections.
  for (let round = 1; round <= 8; round += 1) {
    expect(await use(database)).toEqual([true, true]);
    await admin.query(`select pg_terminate_backend(pid, 60000) from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`);
    await expect.poll(() => database.load()).toMatchObject({ pool: { connections: 0 }, sessions: { connections: 0 } });
    await expect.poll(() => listening).toBe(round + 1);
  }
  await admin.query("select pg_notify('change', 'news')");
  expect(await notification.promise).toBe("news");
  await admin.end(1);
  await database.close();
});

test("a statement whose connection is reset during the handshake is executed again", async () => {
  let resets = 0;
  const relay = createServer((near) => {
    const far = connect(Number(new URL(url).port), "127.0.0.1");
    near.on("error", () => far.destroy()).pipe(far);
    far.on("error", () => near.destroy()).pipe(near);
    // The first answer of the database is one byte: it accepts TLS.
    if (resets > 0) far.once("data", () => near.once("data", () => near.resetAndDestroy()));
    resets -= 1;
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  const through = new URL(url);
  through.port = String((relay.address() as AddressInfo).port);
  const database = await openDatabase({ url: through.href });
  resets = 3;
  expect(await use(database)).toEqual([true, true]);
  expect(resets).toBeLessThanOrEqual(0);
  await database.close();
  relay.close();
});

test("a server whose certificate is not trusted is refused", async () => {
  const opening = openDatabase({ url: url.replace("require", "verify-full") });
  await expect(opening).rejects.toThrow("self-signed certificate");
});
