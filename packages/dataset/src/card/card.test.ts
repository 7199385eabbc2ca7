import { createHash } from "node:crypto";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { cardText } from "./card.ts";
import { checksums } from "../writer/checksums.ts";
import { COLUMNS, competitionFiles, SHARED_FILES } from "../columns.ts";
import { records } from "../analysis/fastest.ts";
import { progression } from "../analysis/progress.ts";
import { topContestants } from "../analysis/contestants.ts";
import { kernelRows, openDataset } from "../reader/dataset.ts";
import { FACTS } from "../formats/kernel-row.ts";
import { QUERIES, VIEWS } from "./queries.ts";
import { skillsText } from "./agent-guide.ts";
import { loadDuckDb } from "../sql/duckdb.ts";
import { querySql } from "../sql/query.ts";
import type { Engine } from "../sql/result.ts";
import { folder } from "@kernelbot/testing/dataset/files.ts";
import { manifestOf } from "@kernelbot/testing/dataset/manifest.ts";

interface Header {
  pretty_name: string;
  license: string[] | string;
  size_categories: string[];
  configs: { config_name: string; default?: boolean; data_files: { split: string; path: string[] }[] }[];
}

function headerOf(card: string): Header {
  const [, yaml = ""] = /^---\n([^]*?)\n---\n/.exec(card) ?? [];
  return parse(yaml) as Header;
}

function filesOf(header: Header, name: string): string[] | undefined {
  return header.configs.find(({ config_name }) => config_name === name)?.data_files[0]?.path;
}

/** Returns the code blocks of a language in a text. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)\\n\`\`\`$`, "gm"))].map(([, inner = ""]) => inner);
}

describe("the header of a card", () => {
  const header = headerOf(cardText(manifestOf(["spring", "autumn"])));

  test("names the files of each variant, over all competitions and of each", () => {
    expect(filesOf(header, "deduplicated_submissions")).toEqual([
      "spring/corpus/deduplicated_successful.parquet",
      "spring/corpus/deduplicated_other.parquet",
      "autumn/corpus/deduplicated_successful.parquet",
      "autumn/corpus/deduplicated_other.parquet",
    ]);
    expect(filesOf(header, "autumn.deduplicated_successful_submissions")).toEqual([
      "autumn/corpus/deduplicated_successful.parquet",
    ]);
    expect(filesOf(header, "spring.submissions")).toHaveLength(4);
    expect(filesOf(header, "spring.facts")).toEqual(["spring/submissions.parquet"]);
    expect(filesOf(header, "leaderboards")).toEqual(["leaderboards.parquet"]);
  });

  test("has a hub show the facts first, which are small", () => {
    expect(header.configs.filter((config) => config.default === true).map(({ config_name }) => config_name)).toEqual([
      "facts",
    ]);
  });

  test("leads to every file, and to none that is not there", () => {
    const files = manifestOf(["spring"]).files.filter(({ path }) => path !== "spring/samples.parquet");
    const { configs } = headerOf(cardText(manifestOf(["spring"], { files })));
    const named = new Set(configs.flatMap(({ data_files }) => data_files.flatMap(({ path }) => path)));
    expect([...named].toSorted()).toEqual(files.map(({ path }) => path).toSorted());
  });

  test("leads to no file without rows, which readers stumble over, and has no table without any", () => {
    const manifest = manifestOf(["spring", "autumn"]);
    const empty = ["spring/corpus/repeated_successful.parquet", "autumn/corpus/deduplicated_successful.parquet"];
    const files = manifest.files.map((file) => (empty.includes(file.path) ? { ...file, rows: 0 } : file));
    const header = headerOf(cardText({ ...manifest, files }));
    expect(filesOf(header, "spring.successful_submissions")).toEqual(["spring/corpus/deduplicated_successful.parquet"]);
    const names = header.configs.map(({ config_name }) => config_name);
    expect(names).toContain("deduplicated_successful_submissions");
    expect(names).not.toContain("autumn.deduplicated_successful_submissions");
  });

  test("has the licences of its rows and how many rows there are", () => {
    expect(header).toMatchObject({ license: ["mit", "cc-by-4.0"], size_categories: ["1K<n<10K"] });
  });

  test("stays a header whatever a title holds", () => {
    const manifest = manifestOf(["spring"]);
    const [competition] = manifest.competitions;
    if (competition !== undefined) competition.title = "a: [b\n---\nlicense: 'none'\n#";
    expect(headerOf(cardText(manifest))).toMatchObject({
      pretty_name: "Kernels of a: [b --- license: 'none' #",
      license: ["mit", "cc-by-4.0"],
    });
  });
});

test("a title stays a title: no link, no picture, no HTML, no row of its own, nothing that hides", () => {
  const title =
    "x | y\n\n# Hello [a](https://evil.example) ![b](https://evil.example/p.png) <b>c</b> `d` https://evil.example \u202e";
  const manifest = manifestOf(["spring"]);
  const [competition] = manifest.competitions;
  if (competition !== undefined) competition.title = title;
  const body = cardText(manifest).replace(/^---\n[^]*?\n---\n/, "");
  const html = new MarkdownIt({ html: true, linkify: true }).render(body);
  expect(html).toContain(
    "<td>x | y # Hello [a](https://evil.example) ![b](https://evil.example/p.png) &lt;b&gt;c&lt;/b&gt; `d` https://evil.example (<code>spring</code>)</td>",
  );
  expect(html).not.toMatch(/<a href="[^"]*evil|<img|<b>|\u202e/);
  expect(skillsText(manifest)).not.toContain("evil");
});

test("an address that is not one of the web is left out", () => {
  const card = cardText(manifestOf(["spring"], { source: "javascript:alert(1)" }));
  expect(card).not.toContain("javascript");
  expect(cardText(manifestOf(["spring"]))).toContain("<https://kernels.example.org>");
});

test("every column of every file is in the card", () => {
  const card = cardText(manifestOf(["spring"]));
  for (const { name } of Object.values(COLUMNS).flat()) expect(card).toContain(`| \`${name}\` |`);
});

test("a card says how many submissions went since an earlier snapshot, and what copies should do", () => {
  expect(cardText(manifestOf(["spring"], { withdrawn: [3, 9] }))).toContain(
    "2 submissions of earlier snapshots are not in this one",
  );
  expect(cardText(manifestOf(["spring"]))).toContain("All submissions of earlier snapshots are in this one");
});

/** Result row of the queries. */
const ROW = {
  problem: "vectoradd",
  target: "cpu",
  user_name: "ada",
  verdict: "failed",
  successful: true,
  gives_score: true,
  passed: true,
  place: 1,
  rerun: 0,
  score_ns: 1000,
  score: 1e-6,
  speedup: 2,
  stage: "ranked",
  mode: "leaderboard",
  code_sha256: "ab",
  problem_version: "cd",
};

describe("the queries", () => {
  test("find rows in the files of a snapshot, by each engine that is here", async () => {
    using place = folder();
    for (const { path, kind } of [...SHARED_FILES, ...competitionFiles("spring")]) place.write(path, kind, [ROW]);
    const dataset = await openDataset(place.path);
    const engines: Engine[] = (await loadDuckDb()) === null ? ["builtin"] : ["builtin", "duckdb"];
    const answers = QUERIES.flatMap(({ title, sql }) => engines.map((engine) => ({ title, sql, engine })));
    for (const { title, sql, engine } of answers) {
      const { rows } = await querySql(dataset, sql, { engine });
      expect({ title, engine, found: rows.length > 0 }).toEqual({ title, engine, found: true });
    }
  });

  test("are all that the card and the guide show, in addition to the names of the tables", () => {
    const known = [VIEWS, ...QUERIES.map(({ sql }) => sql)];
    const manifest = manifestOf(["spring"]);
    const shown = [...blocks(cardText(manifest), "sql"), ...blocks(skillsText(manifest), "sql")];
    const unknown = shown.filter((sql) => !known.includes(sql) && sql !== `${VIEWS}\n\n${known[1] ?? ""};`);
    expect(shown).toHaveLength(QUERIES.length + 2);
    expect(unknown).toEqual([]);
  });
});

test("checksums are in the format of coreutils, in order of path", () => {
  const sha256 = createHash("sha256").update("").digest("hex");
  expect(
    checksums([
      { path: "b/x.parquet", sha256 },
      { path: "README.md", sha256 },
    ]),
  ).toBe(`${sha256}  README.md\n${sha256}  b/x.parquet\n`);
});

describe("a winner that a re-run has confirmed", () => {
  /** Ada's first run was faster than the re-run whose time the final leaderboard shows; Bob is between them. */
  const rowOf = (submission: number, run: number, user: string, score_ns: number, more: object) => ({
    ...ROW,
    ...{ submission_id: submission, run_id: run, user_id: user, user_name: user, score_ns, mode: "ranked" },
    ...{ verdict: "passed", problem_id: 1, place: null, submitted_at: `2026-01-0${submission}T00:00:00.000Z`, ...more },
  });
  const ROWS = [
    rowOf(1, 1, "cyd", 900, { gives_score: true, place: 3 }),
    rowOf(2, 2, "ada", 500, { gives_score: false }),
    rowOf(2, 4, "ada", 600, { gives_score: true, place: 2, rerun: 1 }),
    rowOf(3, 3, "bob", 550, { gives_score: true, place: 1 }),
  ];
  const BOARD = [
    ["bob", 550],
    ["ada", 600],
    ["cyd", 900],
  ];
  const sqlOf = (title: string) => QUERIES.find((query) => query.title === title)?.sql ?? "";

  test("has the place of the leaderboard in every query and analysis", async () => {
    using place = folder();
    place.write("spring/submissions.parquet", "submissions", ROWS);
    const dataset = await openDataset(place.path);
    const engines: Engine[] = (await loadDuckDb()) === null ? ["builtin"] : ["builtin", "duckdb"];
    for (const engine of engines) {
      const ranked = await querySql(dataset, sqlOf("Rank the published rows"), { engine });
      expect(ranked.rows.map((row) => [row["user_name"], row["best_ns"]])).toEqual(BOARD);
      const steps = await querySql(dataset, sqlOf("Records of a leaderboard over time"), { engine });
      expect(steps.rows.map((row) => row["user_name"])).toEqual(["cyd", "ada", "bob"]);
    }
    const rows = [];
    for await (const batch of kernelRows(dataset, { fields: FACTS })) rows.push(...batch);
    expect(topContestants(rows).results.map(({ userName, scoreNs }) => [userName, scoreNs])).toEqual(BOARD);
    // The same without the ranks, as an account's rows are ranked by their own rule.
    const unplaced = rows.map((row) => ({ ...row, place: undefined }));
    expect(topContestants(unplaced).results.map(({ userName, scoreNs }) => [userName, scoreNs])).toEqual(BOARD);
    expect(records(rows).results.map(({ userName, scoreNs }) => [userName, scoreNs])).toEqual([
      ["cyd", 900],
      ["ada", 600],
      ["bob", 550],
    ]);
    expect(progression(rows, "ada").results.at(-1)).toMatchObject({ bestNs: 600 });
  });
});
