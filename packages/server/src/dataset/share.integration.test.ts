/** Two servers with separate folders and one bucket share a real snapshot. */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { openDirectoryStore } from "../artifacts/directory.ts";
import { endedSpring, madeSnapshot } from "@kernelbot/testing/datasets.ts";
import { olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { database, useScene } from "@kernelbot/testing/scene.ts";
import { analyseSnapshots, readAnalysis } from "./analysis.ts";
import { deleteOldSnapshots } from "./retention.ts";
import { openSharing } from "./share.ts";

useScene();
useOrganiser();

const folder = (name: string) => mkdtempSync(join(inject("scratch"), `${name}-`));
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .toSorted();

test("a snapshot is fetched by other servers, and deleted from the bucket with its files", async () => {
  const [here, there, bucket] = [folder("here"), folder("there"), folder("bucket")];
  await endedSpring(database, olga);
  const id = await madeSnapshot(database, here, olga);
  const store = await openDirectoryStore(bucket);
  const [maker, other] = [openSharing(database, here, store), openSharing(database, there, store)];

  await other.share();
  await analyseSnapshots(database, there);
  expect(readdirSync(there)).toEqual([]);
  expect(await readAnalysis(database, id, "spring")).toBe("none");

  await maker.share();
  await other.share();
  const [made, fetched] = [join(here, String(id)), join(there, String(id))];
  expect(filesIn(made).length).toBeGreaterThan(5);
  expect(filesIn(fetched)).toEqual(filesIn(made));
  for (const path of filesIn(made)) expect(readFileSync(join(fetched, path))).toEqual(readFileSync(join(made, path)));
  await analyseSnapshots(database, there);
  expect(await readAnalysis(database, id, "spring")).not.toBe("failed");

  await database.sql`update dataset_snapshot set files_deleted_at = now()`;
  await Promise.all([here, there].map((directory) => deleteOldSnapshots(database, directory, 1)));
  await maker.forget();
  await other.share();
  expect([filesIn(bucket), filesIn(here), filesIn(there)]).toEqual([[], [], []]);
});
