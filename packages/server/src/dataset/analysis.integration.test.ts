import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { endedSpring, madeSnapshot } from "@kernelbot/testing/datasets.ts";
import { database, useScene } from "@kernelbot/testing/scene.ts";
import { analyseSnapshots, readAnalysis } from "./analysis.ts";

useScene();
useOrganiser();

test("an analysis that the database cannot store now is computed again", async () => {
  const directory = mkdtempSync(join(inject("scratch"), "analysis-"));
  await endedSpring(database, olga);
  const id = await madeSnapshot(database, directory, olga);
  await database.sql`create sequence attempt`;
  await database.sql`create function fail_once() returns trigger language plpgsql as $$
    begin
      if nextval('attempt') = 1 then raise exception 'no space left on device' using errcode = 'disk_full'; end if;
      return new;
    end $$`;
  await database.sql`create trigger fail_once before update on dataset_analysis for each row execute function fail_once()`;
  await analyseSnapshots(database, directory);
  expect(await readAnalysis(database, id, "spring")).toBe("none");
  await analyseSnapshots(database, directory);
  expect(await readAnalysis(database, id, "spring")).toMatchObject({ records: expect.anything() as unknown });
});

test("an analysis that another server computes is left to it until its lease expires", async () => {
  const directory = mkdtempSync(join(inject("scratch"), "analysis-"));
  await endedSpring(database, olga);
  const id = await madeSnapshot(database, directory, olga);
  await database.sql`insert into dataset_analysis (snapshot_id, competition, lease_until)
    values (${id}, 'spring', now() + interval '1 hour')`;
  await analyseSnapshots(database, directory);
  expect(await readAnalysis(database, id, "spring")).toBe("none");
  await database.sql`update dataset_analysis set lease_until = now()`;
  await analyseSnapshots(database, directory);
  expect(await readAnalysis(database, id, "spring")).toMatchObject({ records: expect.anything() as unknown });
});
