/** Dataset on disk: a snapshot, a folder of corpus files, or a single file. */
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { SnapshotManifest } from "@kernelbot/core";
import { DatasetError } from "../error.ts";
import { familyOf, kindOf, type DatasetFileKind } from "../formats/index.ts";
import type { Context } from "../formats/row-format.ts";
import { openParquet, type ParquetFile } from "../parquet/file.ts";
import { parquetPaths } from "../parquet/paths.ts";
import { readRows } from "../parquet/read.ts";
import { readKernelRows, type KernelRowsOptions } from "./kernel-rows.ts";
import type { KernelField, KernelRow } from "../formats/kernel-row.ts";

export interface DatasetFile extends ParquetFile {
  /** Null for an unknown kind of file, which is ignored. */
  kind: DatasetFileKind | null;
}

export interface Dataset {
  path: string;
  /** Manifest of a snapshot; null for other datasets. */
  manifest: SnapshotManifest | null;
  files: readonly DatasetFile[];
  /** Files that together contain each row once: facts if present, else rows with code. */
  rowFiles: readonly DatasetFile[];
  context: Context;
}

const MANIFEST = "dataset.json";
/** Limit that no dataset reaches, but a home directory does. */
const MAX_FILES = 2000;

/**
 * Opens a folder or a file. Reads only the footers of its Parquet files.
 * @throws DatasetError when there is none, or one cannot be read.
 */
export async function openDataset(path: string): Promise<Dataset> {
  const paths = await filesOf(path);
  const files: DatasetFile[] = [];
  for (const each of paths) {
    const parquet = await openParquet(each);
    files.push({ ...parquet, kind: kindOf(parquet) });
  }
  const manifest = await readManifest(path);
  const rowFiles = withoutRepeats(files);
  if (manifest === null && rowFiles.length === 0 && !files.some(({ kind }) => kind !== null)) {
    throw new DatasetError(`${files.map((file) => file.path).join(", ")}: none has rows of submissions or their code`);
  }
  for (const file of rowFiles) familyOf(file);
  return { path, manifest, files, rowFiles, context: { problems: await problemNames(files) } };
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new DatasetError(`${path} does not exist`);
  if (!found.isDirectory()) return [path];
  const paths: string[] = [];
  for await (const file of parquetPaths(path, 3)) {
    if (paths.length === MAX_FILES) throw new DatasetError(`${path} has more than ${MAX_FILES} Parquet files`);
    paths.push(file);
  }
  if (paths.length === 0) throw new DatasetError(`${path} has no Parquet files`);
  return paths.toSorted();
}

async function readManifest(path: string): Promise<SnapshotManifest | null> {
  const file = join(path, MANIFEST);
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return null;
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    throw new DatasetError(`${file} is not valid JSON`, { cause: error });
  }
  const parsed = SnapshotManifest.safeParse(manifest);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new DatasetError(
    `${file} is not a valid manifest of a snapshot: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
  );
}

/** Variants of one file, from most rows to fewest. */
const VARIANTS = [
  "submissions",
  "deduplicated_submissions",
  "successful_submissions",
  "deduplicated_successful_submissions",
];

/**
 * Removes files whose rows another file contains: facts replace a snapshot's rows with code, and the widest variant in
 * a folder replaces the others.
 */
function withoutRepeats(files: readonly DatasetFile[]): DatasetFile[] {
  const facts = files.filter(({ kind }) => kind === "submissions");
  const others = files.filter(
    (file) =>
      (file.kind === "corpus" || file.kind === "legacy") &&
      !facts.some((fact) => !relative(dirname(fact.path), file.path).startsWith(`..${sep}`)),
  );
  const widest = others.filter((file) => {
    const { stem, rank } = variantOf(file);
    return !others.some((other) => {
      const { stem: stemOther, rank: rankOther } = variantOf(other);
      return dirname(other.path) === dirname(file.path) && stemOther === stem && rankOther < rank;
    });
  });
  return [...facts, ...widest];
}

/**
 * Splits a file name into the part before the variant and the variant's index: `nvfp4_` and 0 for
 * `nvfp4_submissions.parquet`.
 */
function variantOf(file: DatasetFile): { stem: string; rank: number } {
  const name = basename(file.path, ".parquet");
  const variant = variantNameOf(file);
  return variant === null
    ? { stem: name, rank: 0 }
    : { stem: name.slice(0, -variant.length), rank: VARIANTS.indexOf(variant) };
}

/** Returns the variant of the rows that a file name indicates; null if none. */
export function variantNameOf({ path }: DatasetFile): string | null {
  const name = basename(path, ".parquet");
  return VARIANTS.findLast((variant) => name === variant || name.endsWith(`_${variant}`)) ?? null;
}

/** Reads the names of problems, for files that contain only their numbers. */
async function problemNames(files: readonly DatasetFile[]): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  for (const file of files.filter(({ kind }) => kind === "leaderboards")) {
    for await (const { id, name } of readRows(file, { columns: ["id", "name"] })) {
      if (typeof id === "number" && typeof name === "string") names.set(id, name);
    }
  }
  return names;
}

/**
 * Yields the rows of a dataset, each once, in batches and in the order of its files.
 * @example
 * for await (const rows of kernelRows(dataset, { fields: ["userName", "scoreNs"], problem: "sort" })) ...
 */
export async function* kernelRows<Field extends KernelField>(
  dataset: Dataset,
  options: KernelRowsOptions<Field>,
): AsyncGenerator<Pick<KernelRow, Field>[]> {
  for (const file of dataset.rowFiles) yield* readKernelRows(file, dataset.context, options);
}
