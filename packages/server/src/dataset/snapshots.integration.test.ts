import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, inject, test } from "vitest";
import { made, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { ann, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { buildSnapshot } from "./build-snapshot.ts";
import { buildSnapshots } from "./build.ts";
import { listSnapshots, readSnapshot, requestSnapshot, snapshotFile } from "./snapshots.ts";

useScene();
useOrganiser();

beforeEach(async () => {
  await made({ name: "open", problems: [] });
  for (const [name, visibility, codeVisibility] of [
    ["ended", "public", "after_end"],
    ["secret", "closed", "after_end"],
    ["sealed", "public", "never"],
    ["quiet", "unlisted", "after_end"],
  ] as const) {
    await made({ name, visibility, codeVisibility, problems: [] });
    await database.sql`update competition set ends_at = now() where name = ${name}`;
  }
});

test("requesting a competition that may not be exported reports the reason", async () => {
  for (const [name, sentence] of [
    ["open", /^the competition open is open until \d{4}-.*; export its data after that$/],
    ["secret", "the competition secret is closed"],
    ["sealed", "the competition sealed never shows the sources of its submissions"],
    ["nothing", 'competition "nothing" not found'],
  ] as const) {
    await expect(requestSnapshot(database, olga, { competitions: ["ended", name] })).rejects.toThrow(sentence);
  }
});

test("only administrators can request all ended public competitions", async () => {
  await expect(requestSnapshot(database, olga, { competitions: "ended" })).rejects.toMatchObject({ code: "forbidden" });
  const { competitions } = await requestSnapshot(database, root, { competitions: "ended" });
  expect(competitions).toEqual(["ended"]);
});

test("only organisers can request a snapshot, and equal requests are built once", async () => {
  await expect(requestSnapshot(database, ann, { competitions: ["ended"] })).rejects.toMatchObject({
    code: "forbidden",
  });
  const first = await requestSnapshot(database, olga, { competitions: ["quiet", "ended"] });
  expect(first).toMatchObject({ state: "building", competitions: ["ended", "quiet"], sizeBytes: null });
  expect(await requestSnapshot(database, olga, { competitions: ["ended", "quiet"] })).toEqual(first);
});

test("ready snapshots are readable by all, and listed for viewers who can list their competitions", async () => {
  const directory = mkdtempSync(join(inject("scratch"), "datasets-"));
  const { id } = await requestSnapshot(database, olga, { competitions: ["quiet"] });
  await expect(readSnapshot(database, undefined, id)).rejects.toMatchObject({ code: "not_found" });
  await buildSnapshots(database, directory, { build: buildSnapshot });
  expect(await readSnapshot(database, undefined, id)).toMatchObject({ state: "ready", manifest: { id } });
  expect(await listSnapshots(database, undefined)).toEqual([]);
  expect(await listSnapshots(database, root)).toMatchObject([{ id }]);
  await expect(readSnapshot(database, undefined, "latest")).rejects.toThrow("no snapshot is ready yet");
  const { file } = await snapshotFile(database, undefined, directory, id, "quiet/code.parquet");
  expect(file).toMatchObject({ path: "quiet/code.parquet", rows: 0 });
  expect(await snapshotFile(database, undefined, directory, id, "dataset.json")).toMatchObject({
    file: { rows: null },
  });
  await expect(snapshotFile(database, undefined, directory, id, "../../etc/passwd")).rejects.toThrow("has no file");
  await database.sql`update competition set visibility = 'closed' where name = 'quiet'`;
  await expect(readSnapshot(database, undefined, id)).rejects.toMatchObject({ code: "not_found" });
});

test("a competition that was extended before the build fails the snapshot with that error", async () => {
  const { id } = await requestSnapshot(database, olga, { competitions: ["ended"] });
  await database.sql`update competition set ends_at = now() + interval '1 day' where name = 'ended'`;
  await buildSnapshots(database, inject("scratch"), { build: buildSnapshot });
  const { state, message } = await readSnapshot(database, olga, id);
  expect([state, message]).toEqual(["failed", expect.stringContaining("the competition ended is open until")]);
});
