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
  await database.sql`create trigger fail_once before insert on dataset_analysis for each row execute function fail_once()`;
  await expect(analyseSnapshots(database, directory)).rejects.toMatchObject({ code: "53100" });
  expect(await readAnalysis(database, id, "spring")).toBe("none");
  await analyseSnapshots(database, directory);
  expect(await readAnalysis(database, id, "spring")).toMatchObject({ contestants: expect.anything() as unknown });
});
