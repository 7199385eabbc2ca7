/** Entries of the showcase have the score of their receipt everywhere: board, page, API, command line and data set. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createClient, type Client } from "@kernelbot/api";
import { Board, formatTiming } from "@kernelbot/core";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import { sample } from "@kernelbot/testing/sample.ts";
import { openShowcase, type OpenShowcase } from "@kernelbot/testing/showcase/open.ts";
import { TEMPLATE } from "@kernelbot/testing/template.ts";
import { z } from "zod";
import { snapshotFile } from "../src/dataset/snapshots.ts";

const RECOMPUTE = resolve(import.meta.dirname, "../../core/src/receipt/recompute_score.py");
/** Share of the boards of which all entries are compared: some ten entries. */
const SHARE = 0.3;

let open: OpenShowcase;
let client: Client;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(inject("scratch"), "scores-"));
  open = await openShowcase(() => emptyDatabase(TEMPLATE), folder);
  client = createClient({ server: open.urls.full });
});
afterAll(() => open[Symbol.asyncDispose]());

/** Score and ranking that the short script of the docs computes from a receipt alone. */
interface Recomputed {
  timeNs: number;
  speedup: number;
  ranking: string;
}

async function recomputed(runId: number): Promise<Recomputed> {
  const file = join(folder, `${runId}.json`);
  writeFileSync(file, await client.receipt(runId));
  const { stdout } = await promisify(execFile)("python3", [RECOMPUTE, file]);
  const found = /^speedup (\S+) as signed\ntimeNs (\S+) as signed\nranks by (\S+)\n$/.exec(stdout);
  if (found === null) throw new Error(stdout);
  return { speedup: Number(found[1]), timeNs: Number(found[2]), ranking: found[3] ?? "" };
}

/** Columns of the submissions in the data set. */
const Fact = z.object({
  target: z.string(),
  problem: z.string(),
  gives_score: z.boolean(),
  submitted_at: z.date(),
  ranked_by: z.string().nullable(),
  ranked_value: z.number().nullable(),
  score_ns: z.number().nullable(),
});

async function readFacts(): Promise<z.infer<typeof Fact>[]> {
  const { testServer, showcase } = open;
  const { path } = await snapshotFile(
    testServer.database,
    undefined,
    testServer.datasets,
    showcase.data.snapshot,
    `${showcase.competitions.ended}/submissions.parquet`,
  );
  const bytes = readFileSync(path);
  const rows = await parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    compressors: { ZSTD: (input) => new Uint8Array(zstdDecompressSync(input)) },
  });
  return z.array(Fact).parse(rows);
}

/** All digits that the recomputation in another language and order can have in common. */
const close = (value: number) => expect.closeTo(value, 9 - Math.ceil(Math.log10(value))) as number;

test("the short script computes score and rank from receipts, equal on board, page, run, command line and data set", async () => {
  const all = await client.boards();
  const inDataSet = await readFacts();
  let compared = 0;
  let exported = 0;
  for (const { board: name, target } of sample(
    all.filter(
      ({ entries, bestRankedBy }) => entries > 0 && (bestRankedBy === undefined || bestRankedBy.ranking === "speedup"),
    ),
    { share: SHARE },
  )) {
    const board = await client.board(name, target);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [inject("commandLine"), "board", name, "--target", target, "--json"],
      {
        env: { PATH: process.env.PATH, HOME: folder, KERNELBOT_SERVER: open.urls.full },
      },
    );
    const [printed] = z.object({ boards: z.array(Board) }).parse(JSON.parse(stdout)).boards;
    const page = await (await fetch(`${open.urls.full}/boards/${name}/${target}`)).text();
    const ranked: number[] = [];
    for (const [index, row] of board.rows.entries()) {
      if (row.imported || row.legacyHarness) continue;
      const { timeNs, speedup, ranking } = await recomputed(row.runId);
      const score = { timeNs: { value: close(timeNs) }, speedup: { value: close(speedup) } };
      expect(ranking).toBe(board.ranking);
      expect(row).toMatchObject(score);
      if (ranking === "speedup") expect(row.rankedBy?.value).toEqual(close(speedup));
      expect((await client.run(row.runId)).score).toMatchObject(score);
      expect(printed?.rows[index]).toEqual(row);
      expect(page).toContain(formatTiming(row.timeNs).split(" ")[0]);
      const facts = inDataSet.filter(
        (fact) =>
          fact.gives_score &&
          fact.problem === name &&
          fact.target === target &&
          fact.submitted_at.getTime() === Date.parse(row.submittedAt),
      );
      for (const fact of facts)
        expect(fact).toMatchObject({
          // Null where the time ranks.
          ...(ranking === "time"
            ? { ranked_by: null, ranked_value: null }
            : { ranked_by: ranking, ranked_value: close(speedup) }),
          score_ns: close(timeNs),
        });
      exported += facts.length;
      ranked.push(ranking === "time" ? timeNs : -speedup);
      compared += 1;
    }
    expect(ranked).toEqual(ranked.toSorted((one, other) => one - other));
  }
  console.log(`${compared} entries, ${exported} of them in the data set`);
  // How many entries the drawn boards have is up to the draw.
  expect(compared).toBeGreaterThan(0);
});
