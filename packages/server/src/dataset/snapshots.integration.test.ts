import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, inject, test } from "vitest";
import { made, olga } from "@kernelbot/testing/competitions.ts";
import { ann, database, root } from "@kernelbot/testing/scene.ts";
import { makeNext } from "./make.ts";
import { listSnapshots, readSnapshot, requestSnapshot, snapshotFile } from "./snapshots.ts";

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

test("a competition that may not be exported is refused with a sentence", async () => {
  for (const [name, sentence] of [
    ["open", /^open is open until \d{4}-.*; its data can be exported after that$/],
    ["secret", "secret is closed: what its members submit stays among them"],
    ["sealed", "sealed shows the sources of its submissions to nobody, after its end neither"],
    ["nothing", 'there is no competition "nothing"'],
  ] as const) {
    await expect(requestSnapshot(database, olga, { competitions: ["ended", name] })).rejects.toThrow(sentence);
  }
});

test("all ended ones are those of everybody's list, and for administrators to ask for", async () => {
  await expect(requestSnapshot(database, olga, { competitions: "ended" })).rejects.toMatchObject({ code: "forbidden" });
  const { competitions } = await requestSnapshot(database, root, { competitions: "ended" });
  expect(competitions).toEqual(["ended"]);
});

test("who does not organise a competition may not ask, and the same asked for twice is made once", async () => {
  await expect(requestSnapshot(database, ann, { competitions: ["ended"] })).rejects.toMatchObject({
    code: "forbidden",
  });
  const first = await requestSnapshot(database, olga, { competitions: ["quiet", "ended"] });
  expect(first).toMatchObject({ state: "building", competitions: ["ended", "quiet"], sizeBytes: null });
  expect(await requestSnapshot(database, olga, { competitions: ["ended", "quiet"] })).toEqual(first);
});

test("all may read a ready one, and lists have it where they have its competitions", async () => {
  const directory = mkdtempSync(join(inject("scratch"), "datasets-"));
  const { id } = await requestSnapshot(database, olga, { competitions: ["quiet"] });
  await expect(readSnapshot(database, undefined, id)).rejects.toMatchObject({ code: "not_found" });
  await makeNext({ connection: database.connection, directory, source: null });
  expect(await readSnapshot(database, undefined, id)).toMatchObject({ state: "ready", manifest: { id } });
  expect(await listSnapshots(database, undefined)).toEqual([]);
  expect(await listSnapshots(database, root)).toMatchObject([{ id }]);
  await expect(readSnapshot(database, undefined, "latest")).rejects.toThrow("there is no snapshot yet");
  const { file } = await snapshotFile(database, undefined, directory, id, "quiet/code.parquet");
  expect(file).toMatchObject({ path: "quiet/code.parquet", rows: 0 });
  expect(await snapshotFile(database, undefined, directory, id, "dataset.json")).toMatchObject({
    file: { rows: null },
  });
  await expect(snapshotFile(database, undefined, directory, id, "../../etc/passwd")).rejects.toThrow("has no file");
  await database.sql`update competition set visibility = 'closed' where name = 'quiet'`;
  await expect(readSnapshot(database, undefined, id)).rejects.toMatchObject({ code: "not_found" });
});

test("a competition that was opened again meanwhile ends the making with that sentence", async () => {
  const { id } = await requestSnapshot(database, olga, { competitions: ["ended"] });
  await database.sql`update competition set ends_at = now() + interval '1 day' where name = 'ended'`;
  await makeNext({ connection: database.connection, directory: inject("scratch"), source: null });
  const { state, message } = await readSnapshot(database, olga, id);
  expect([state, message]).toEqual(["failed", expect.stringContaining("ended is open until")]);
});
