import { expect, test } from "vitest";
import { openDataset } from "../reader/dataset.ts";
import { folder } from "@kernelbot/testing/dataset/files.ts";
import { loadDuckDb } from "./duckdb.ts";
import { like } from "./like.ts";
import { querySql } from "./query.ts";
import type { Engine } from "./result.ts";

const BIG = 9_007_199_254_740_993n;

function fixture() {
  const place = folder();
  const facts = (id: number, rest: object) => ({
    submission_id: id,
    run_id: id,
    user_id: "u1",
    user_name: "ada",
    ...rest,
  });
  place.write("cup/submissions.parquet", "submissions", [
    facts(1, { problem: "scan", score_ns: 900, code_sha256: "a", code_id: BIG, submitted_at: "2026-03-01T12:00:00Z" }),
    facts(2, { problem: "scan", score_ns: null, code_sha256: "b", submitted_at: "2026-03-02T12:00:00Z" }),
    facts(3, {
      problem: "sort",
      score_ns: 100,
      code_sha256: "a",
      user_id: "u2",
      user_name: "bob|x",
      code_id: BIG + 2n,
    }),
  ]);
  place.write("cap/submissions.parquet", "submissions", [
    facts(4, { problem: "sort", score_ns: 50, code_sha256: "c" }),
  ]);
  place.write("cup/code.parquet", "code", [
    { code_sha256: "a", code: "first line\nuses WGMMA" },
    { code_sha256: "b", code: "nothing" },
  ]);
  return place;
}

/** Both engines return the same results; DuckDB is tested only if installed. */
const engines: Engine[] = (await loadDuckDb()) === null ? ["builtin"] : ["builtin", "duckdb"];

async function answers(sql: string) {
  using place = fixture();
  const dataset = await openDataset(place.path);
  const all = [];
  for (const engine of engines)
    all.push((await querySql(dataset, sql, { engine })).rows.map((row) => Object.values(row)));
  for (const other of all) expect(other).toEqual(all[0]);
  return all[0];
}

test.each<[string, unknown[][]]>([
  ["select count(*) from submissions", [[4]]],
  [
    "select problem, count(*) as n, min(score_ns) from submissions group by problem order by problem",
    [
      ["scan", 2, 900],
      ["sort", 2, 50],
    ],
  ],
  ["select submission_id from submissions where score_ns is null", [[2]]],
  ["select submission_id from submissions where not (score_ns = 900) order by 1", [[3], [4]]],
  ["select submission_id from submissions where score_ns between 60 and 900 order by score_ns desc limit 1", [[1]]],
  [`select submission_id from submissions where code_id = ${BIG}`, [[1]]],
  [`select code_id from submissions where code_id > ${BIG}`, [[BIG + 2n]]],
  ["select submission_id from submissions where submitted_at >= '2026-03-01 13:00:00'", [[2]]],
  ["select s.submission_id from submissions s where s.user_name in ('bob|x', 'cyd') and s.problem like 's%'", [[3]]],
  ["select code_sha256 from code where code like '%WGMMA%' and not code like '%wgmma%'", [["a"]]],
  [
    "select count(*) from submissions s join code c on s.code_sha256 = c.code_sha256 where contains(c.code, 'WGMMA')",
    [[2]],
  ],
  [
    "select submission_id from submissions where code_sha256 in (select code_sha256 from code) order by 1",
    [[1], [2], [3]],
  ],
  [
    "select submission_id from submissions s where score_ns = (select min(x.score_ns) from submissions x where x.problem = s.problem) order by 1",
    [[1], [4]],
  ],
  [
    "with ranked as (select submission_id, row_number() over (partition by problem order by score_ns) as n from submissions where score_ns is not null) select submission_id from ranked where n = 1 order by 1",
    [[1], [4]],
  ],
  [
    "select user_name, avg(score_ns) from submissions where problem = 'sort' group by user_name having avg(score_ns) > 60;",
    [["bob|x", 100]],
  ],
])("%s", async (sql, expected) => {
  expect(await answers(sql)).toEqual(expected);
});

test("unsupported statements and missing tables are reported", async () => {
  using place = fixture();
  const dataset = await openDataset(place.path);
  const ask = (sql: string) => querySql(dataset, sql, { engine: "builtin" });
  await expect(ask("select rank() over (order by score_ns) from submissions")).rejects.toThrow(
    '"rank" is not supported',
  );
  await expect(ask("select * from samples")).rejects.toThrow("submissions");
  await expect(ask("select nothing from submissions")).rejects.toThrow("nothing");
});

test("rows with code and their variants are tables, of whichever parts they consist", async () => {
  using place = folder();
  const row = { leaderboard_id: 1, problem_name: "sort", submission_time: "2026-01-01T00:00:00Z", code: "x" };
  const parts = ["deduplicated_successful", "deduplicated_other", "repeated_successful", "repeated_other"];
  for (const [at, part] of parts.entries()) {
    place.write(`cup/corpus/${part}.parquet`, "corpus", [{ ...row, submission_id: at }]);
  }
  const dataset = await openDataset(place.path);
  const counted = async (table: string) => {
    const { rows } = await querySql(dataset, `select submission_id from ${table}`, { engine: "builtin" });
    return rows.map(({ submission_id: id }) => id).toSorted();
  };
  expect(await counted("corpus")).toEqual([0, 1, 2, 3]);
  expect(await counted("successful_submissions")).toEqual([0, 2]);
  expect(await counted("deduplicated_submissions")).toEqual([0, 1]);
  expect(await counted("deduplicated_successful_submissions")).toEqual([0]);
});

test.each([
  ["", "", true],
  ["a", "", false],
  ["abc", "a%", true],
  ["abc", "%c", true],
  ["abc", "a_c", true],
  ["abc", "a_", false],
  ["a\nb", "a%b", true],
  ["aXbXc", "a%X%c", true],
  ["ab", "ab%b", false],
  ["a.c", "a.c", true],
  ["abc", "a.c", false],
])("%j like %j is %s", (text, pattern, expected) => {
  expect(like(text, pattern)).toBe(expected);
});
