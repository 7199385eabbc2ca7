import { sql } from "kysely";
import { expect, test } from "vitest";
import type { Claimed } from "@kernelbot/core";
import { claimed, ranked, request, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { listOccupiedIntervals } from "./occupied.ts";

useScene();

async function claimRankedRun(): Promise<Claimed> {
  await submitted(database, root, request({ mode: "ranked", source: "def custom_kernel(data): return 3\n" }));
  return await claimed(database, box);
}

test("a ranked run gets the speedups of the other accounts, merged where they overlap", async () => {
  await ranked(database, ann, box, 500);
  await ranked(database, bob, box, 100);
  await ranked(database, root, box, 900);
  const [two, ten, ...others] = await listOccupiedIntervals(database, await claimRankedRun());
  expect(others).toEqual([]);
  // The fixture's reference takes 1000 ns without noise; 2 % are the variation between runs on a CPU.
  expect(two?.low).toBeCloseTo(2 / Math.exp(0.02), 9);
  expect(two?.high).toBeCloseTo(2 * Math.exp(0.02), 9);
  expect(ten?.low).toBeCloseTo(10 / Math.exp(0.02), 9);

  await ranked(database, ann, box, 101);
  const merged = await listOccupiedIntervals(database, await claimRankedRun());
  expect(merged).toHaveLength(1);
  expect(merged[0]?.low).toBeCloseTo(1000 / 101 / Math.exp(0.02), 9);
  expect(merged[0]?.high).toBeCloseTo(10 * Math.exp(0.02), 9);
});

test("on a long board all speedups below those of the fastest entries count as occupied", async () => {
  await ranked(database, ann, box, 500);
  const template = sql`select * from ranking limit 1`;
  await sql`create temporary table copied as ${template}`.execute(database.db);
  await sql`insert into ranking select (jsonb_populate_record(null::ranking, to_jsonb(copied)
    || jsonb_build_object('entry_run_id', -n, 'entrant', 'other-' || n))).* from copied, generate_series(1, 200) n`.execute(
    database.db,
  );
  const [only] = await listOccupiedIntervals(database, await claimRankedRun());
  expect(only?.low).toBeLessThan(1e-6);
  expect(only?.high).toBeCloseTo(2 * Math.exp(0.02), 9);
});

test("there are no speedups of others on a board without entries of others", async () => {
  await ranked(database, root, box, 100);
  expect(await listOccupiedIntervals(database, await claimRankedRun())).toEqual([]);
});
