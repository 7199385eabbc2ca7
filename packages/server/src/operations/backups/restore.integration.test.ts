/** Backups that cannot be restored. A whole restore is tested in drill.test.ts. */
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, test } from "vitest";
import { openDirectoryStore } from "../../artifacts/directory.ts";
import { openDatabase, openPlace } from "../../db/database.ts";
import { createAccount } from "../../auth/tokens.ts";
import { emptyDatabase, testDatabase } from "@kernelbot/testing/database.ts";
import { backUp, MANIFEST } from "./backup.ts";
import { onDisk } from "./folder.ts";
import { restore } from "./restore.ts";

const log = (): void => undefined;

/** Creates a backup with the account `ann`, and changes these fields of its manifest. */
async function backupWith(changes: object): Promise<string> {
  await using database = await testDatabase();
  await createAccount(database, "ann");
  const folder = join(mkdtempSync(join(inject("scratch"), "restore-")), "backup");
  await backUp({ folder: onDisk(folder), connection: database.connection, store: null, datasets: folder, log });
  const file = join(folder, MANIFEST);
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...changes }));
  return folder;
}

/** Returns the names of the accounts after a restore into an empty database. */
async function restored(folder: string): Promise<string[]> {
  const url = await emptyDatabase();
  const { connection } = await openPlace({ url });
  const scratch = mkdtempSync(join(inject("scratch"), "restored-"));
  const store = await openDirectoryStore(join(scratch, "artifacts"));
  await restore({ folder: onDisk(folder), connection, store, datasets: join(scratch, "datasets"), log });
  const database = await openDatabase({ url });
  const accounts = await database.sql<{ name: string }>`select name from account`;
  await database.close();
  return accounts.map(({ name }) => name);
}

test("a backup by a newer version is refused", async () => {
  const folder = await backupWith({ migration: 9999 });
  await expect(restored(folder)).rejects.toThrow("restore it with the newer version");
});

test("a backup with a column that this schema does not have is refused", async () => {
  const folder = await backupWith({ tables: [{ name: "account", columns: ["id", "motto", "hobby"] }] });
  await expect(restored(folder)).rejects.toThrow(
    'the backup has the column "account.motto" and 1 more, which the schema of this version does not have',
  );
});

test("a backup without one of its files, or with a truncated one, is refused, and the database stays empty", async () => {
  const folder = await backupWith({});
  truncateSync(join(folder, "tables/account.gz"), 20);
  await expect(restored(folder)).rejects.toThrow("the backup is damaged: tables/account.gz cannot be decompressed");
  rmSync(join(folder, "tables/account.gz"));
  await expect(restored(folder)).rejects.toThrow("the backup is damaged: tables/account.gz is missing");
});

test("a folder of backups is refused, and the error names its newest complete backup", async () => {
  const folder = await backupWith({});
  await expect(restored(dirname(folder))).rejects.toThrow(`the newest one in this folder is ${folder}`);
});

test("a database that no server has used is not backed up", async () => {
  const { connection } = await openPlace({ url: await emptyDatabase() });
  const folder = onDisk(join(inject("scratch"), "unused"));
  await expect(backUp({ folder, connection, store: null, datasets: "", log })).rejects.toThrow(
    "the database has no tables of KernelBot",
  );
});

test("a database with another schema is not backed up, and no folder is left behind", async () => {
  await using database = await testDatabase();
  const folder = join(mkdtempSync(join(inject("scratch"), "refused-")), "backup");
  const { connection } = database;
  await database.sql`update schema_migration set hash = repeat('a', 64) where number = 1`;
  await expect(backUp({ folder: onDisk(folder), connection, store: null, datasets: folder, log })).rejects.toThrow(
    "with schema aaaaaaaaaaaa",
  );
  expect(() => readFileSync(folder)).toThrow("ENOENT");
});
