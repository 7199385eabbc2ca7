import { mkdirSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";
import { readRows } from "@kernelbot/dataset";
import { expect, test } from "vitest";
import { writeParquet, type TestColumn } from "@kernelbot/testing/dataset/files.ts";
import { workshop, type Call } from "@kernelbot/testing/cli/kernelbot.ts";

const COLUMNS: readonly TestColumn[] = [
  { name: "submission_id", type: "int64", nullable: true },
  { name: "leaderboard_id", type: "int64", nullable: true },
  { name: "problem_name", type: "string", nullable: true },
  { name: "user_id", type: "string", nullable: true },
  { name: "user_name", type: "string", nullable: true },
  { name: "code_id", type: "int64", nullable: true },
  { name: "file_name", type: "string", nullable: true },
  { name: "submission_time", type: "timestamp", nullable: true },
  { name: "status", type: "string", nullable: true },
  { name: "score", type: "double", nullable: true },
  { name: "passed", type: "boolean", nullable: true },
  { name: "mode", type: "string", nullable: true },
  { name: "runner", type: "string", nullable: true },
  { name: "code", type: "string", nullable: true },
];

function row(id: number, user: string, score: number | null, code = "x") {
  const time = `2026-03-0${id}T12:00:00Z`;
  return {
    submission_id: id,
    problem_name: "sort",
    user_id: user,
    user_name: user,
    code_id: 2n ** 60n + BigInt(id),
    file_name: "a.py",
    submission_time: time,
    score,
    passed: score !== null,
    mode: "leaderboard",
    runner: "B200",
    code,
  };
}

const ROWS = [
  row(1, "ada", 0.0005, "torch.compile(f)"),
  row(2, "\x1b]0;title\x07b\u202eob\n", 0.0003, 'a "quoted", text'),
  row(3, "ada", 0.0001),
  row(4, "cyd", 1e-12),
  row(5, "cyd", null),
];

async function dataset(args: readonly string[], call: Call = {}) {
  using place = workshop();
  writeParquet(join(place.folder, "data/submissions.parquet"), COLUMNS, ROWS);
  const ended = await place.kernelbot(["dataset", ...args], call);
  const written = [];
  if (args.includes("out.parquet")) {
    for await (const row of readRows(join(place.folder, "out.parquet"))) written.push(row);
  }
  return { ...ended, written };
}

test("top ranks the users of the files in the folder, with names free of control characters", async () => {
  const { out, err, code } = await dataset(["top"]);
  expect(out).toBe(`\
problem  target  rank  user   runtime  speedup  id  submissions  submitted
sort     B200       1  ada   100.0 µs        –   3            2  2026-03-03 12:00
sort     B200       2  bob   300.0 µs        –   2            1  2026-03-02 12:00
`);
  expect(err).toBe("Left out 1 row with a runtime below 100 ns.\n");
  expect(code).toBe(0);
});

test("query prints the result as CSV with unchanged texts", async () => {
  const sql = "select code_id, code, score from submissions where submission_id in (1, 2) order by 1";
  const { out } = await dataset(["query", sql, "--data", "data", "--format", "csv"]);
  expect(out).toBe(`\
code_id,code,score
1152921504606846977,torch.compile(f),0.0005
1152921504606846978,"a ""quoted"", text",0.0003
`);
});

test("query writes Parquet to a file only", async () => {
  const sql = "select submission_id, code_id, score, user_name, passed from submissions where submission_id >= 3";
  const { written, out } = await dataset(["query", sql, "-f", "parquet", "-o", "out.parquet"]);
  expect(out).toBe("");
  expect(written).toEqual([
    { submission_id: 3, code_id: 2n ** 60n + 3n, score: 0.0001, user_name: "ada", passed: true },
    { submission_id: 4, code_id: 2n ** 60n + 4n, score: 1e-12, user_name: "cyd", passed: true },
    { submission_id: 5, code_id: 2n ** 60n + 5n, score: null, user_name: "cyd", passed: false },
  ]);
  expect((await dataset(["top", "-f", "parquet"])).err).toContain("--format parquet requires --out FILE");
});

test("techniques reads the sources of the best kernels and prints JSON on request", async () => {
  const { out } = await dataset(["techniques", "--target", "B200", "--format", "json"]);
  expect(JSON.parse(out)).toEqual({ rows: [] });
});

test("without --data the newest download is read, and without any the error names --data", async () => {
  using place = workshop();
  const none = await place.kernelbot(["dataset", "info"], { env: { XDG_CACHE_HOME: place.folder } });
  expect(none).toMatchObject({ code: 2, out: "" });
  expect(none.err).toContain("use --data DIR");
  for (const [name, rows] of [
    ["old", 1],
    ["new", 2],
  ] as const) {
    const download = join(place.folder, "cache/kernelbot/datasets", name);
    mkdirSync(download, { recursive: true });
    writeParquet(join(download, "submissions.parquet"), COLUMNS, ROWS.slice(0, rows));
    utimesSync(place.file(`cache/kernelbot/datasets/${name}/dataset.json`, MANIFEST), rows, rows);
  }
  const env = { XDG_CACHE_HOME: join(place.folder, "cache") };
  const { out } = await place.kernelbot(["dataset", "query", "select count(*) as n from submissions", "-f", "csv"], {
    env,
  });
  expect(out).toBe("n\n2\n");
});

const MANIFEST = JSON.stringify({
  format: "kernelbot-dataset-1",
  id: 1,
  createdAt: "2026-03-01T00:00:00Z",
  asOf: "2026-03-01T00:00:00Z",
  source: null,
  competitions: [],
  deduplication: "",
  withdrawn: [],
  files: [],
});

test("the help loads nothing that reads Parquet or SQL", async () => {
  using place = workshop();
  const hook = place.file(
    "hook.mjs",
    `import { existsSync, readFileSync } from "node:fs";
     import { registerHooks } from "node:module";
     registerHooks({ load(url, context, next) {
       // The source map of a bundled file names its parts.
       const map = url.startsWith("file:") ? new URL(url + ".map") : null;
       const parts = map !== null && existsSync(map) ? readFileSync(map, "utf8") : "";
       const found = /\\/(hyparquet|squirreling|duckdb)\\//.exec(parts);
       if (found !== null) throw new Error("loads " + found[1]);
       return next(url, context);
     } });`,
  );
  const env = { NODE_OPTIONS: `--import=${resolve(hook)}` };
  expect(await place.kernelbot(["--help"], { env })).toMatchObject({ code: 0 });
  expect(await place.kernelbot(["dataset", "--help"], { env })).toMatchObject({ code: 0 });
  expect((await place.kernelbot(["dataset", "info"], { env })).err).toMatch(/loads (hyparquet|squirreling)/);
});
