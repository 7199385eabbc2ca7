import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { folder, type TestColumn } from "@kernelbot/testing/dataset/files.ts";
import { openParquet } from "./file.ts";
import { readRows, type ReadOptions } from "./read.ts";
import type { Row } from "./values.ts";

const COLUMNS: readonly TestColumn[] = [
  { name: "id", type: "int64", nullable: false },
  { name: "name", type: "string", nullable: true },
  { name: "score", type: "double", nullable: true },
  { name: "times", type: "doubles", nullable: false },
];
const ROWS = [
  { id: 1, name: "a", score: 1.5, times: [1, 2] },
  { id: 2n ** 60n, name: null, score: null, times: [] },
  { id: 3, name: "ü", score: 4, times: [3] },
];

async function read(options: ReadOptions): Promise<Row[]> {
  using place = folder();
  const rows: Row[] = [];
  for await (const row of readRows(place.writeColumns("a.parquet", COLUMNS, ROWS, 1), options)) rows.push(row);
  return rows;
}

test("rows have numbers, BigInts where numbers are not exact, lists and nulls", async () => {
  expect(await read({})).toEqual(ROWS);
});

test("only the columns that are asked for are in the rows, whatever the conditions are about", async () => {
  expect(await read({ columns: ["name"], where: { id: { moreThan: 1 }, score: { atMost: 4 } } })).toEqual([
    { name: "ü" },
  ]);
});

test.each([
  [{ name: { oneOf: ["a", "ü"] } }, [1, 3]],
  [{ name: { isNull: true } }, [2n ** 60n]],
  [{ score: { isNull: false } }, [1, 3]],
  [{ id: { oneOf: [2n ** 60n] } }, [2n ** 60n]],
  [{ id: { atLeast: 2, lessThan: 2n ** 60n } }, [3]],
  [{ name: { moreThan: 5 } }, []],
])("condition %# holds of the rows that it names, and no comparison of nulls", async (where, ids) => {
  expect((await read({ columns: ["id"], where })).map(({ id }) => id)).toEqual(ids);
});

test("a column that the file lacks is refused with those that it has", async () => {
  await expect(read({ columns: ["mode"] })).rejects.toThrow("has no column mode; its columns: id, name, score, times");
});

/** Files of one row and one column `id`, as PyArrow writes them: int64 compressed with LZ4, and decimal128(9, 1). */
const LZ4 =
  "UEFSMRUAFRwVHiwVAhUAFQYVBhwAAADgAgAAAAIBAQAAAAAAAAAVBBksNQAYBnNjaGVtYRUCABUEJQIYAmlkABYCGRwZHCYAHBUEGSUGABkYAmlkFQ4WAhZC" +
  "FkQmCEkcFQAVABUCADwpBhkmAAIAAAAWQhYCJggWRAAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjUuMC4xGRwcAAAAfAAAAFBBUjE=";
const DECIMAL =
  "UEFSMRUAFRQVFCwVAhUAFQYVBhwAAAACAAAAAgEAAAAFFQQZLDUAGAZzY2hlbWEVAgAVDhUIFQIYAmlkJQoVAhUSLFwVAhUSAAAAFgIZHBkcJgAcFQ4ZJQYA" +
  "GRgCaWQVABYCFjoWOiYISRwVABUAFQIAPCkGGSYAAgAAABY6FgImCBY6ACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNS4wLjEZHBwAAACMAAAAUEFSMQ==";

test("a compression that cannot be read is named with those that can, and a decimal has its own type", async () => {
  using place = folder();
  const write = (name: string, base64: string): string => {
    const path = place.text(name, "");
    writeFileSync(path, Buffer.from(base64, "base64"));
    return path;
  };
  await expect(readRows(write("a.parquet", LZ4)).next()).rejects.toThrow(
    "a.parquet is compressed with LZ4_RAW; write it with zstd, gzip, brotli or snappy",
  );
  expect((await openParquet(write("b.parquet", DECIMAL))).columns[0]?.type).toBe("decimal");
});
