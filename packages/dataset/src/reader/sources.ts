/** Sources of kernels by key. */
import type { Dataset } from "./dataset.ts";
import { familyOf } from "../formats/index.ts";
import { DatasetError } from "../error.ts";
import { readBatches } from "../parquet/read.ts";
import { readKernelRows } from "./kernel-rows.ts";

export interface Source {
  codeKey: string;
  code: string;
}

/**
 * Yields the sources with these keys, each once, in the order of the files.
 * @throws DatasetError when the dataset has no code.
 */
export async function* readSources(
  dataset: Dataset,
  codeKeys: Iterable<string>,
  signal?: AbortSignal,
): AsyncGenerator<Source> {
  const missing = new Set(codeKeys);
  const codeFiles = dataset.files.filter(({ kind }) => kind === "code");
  const wideFiles = dataset.rowFiles.filter((file) => familyOf(file)?.whereCode != null);
  if (codeFiles.length + wideFiles.length === 0) {
    throw new DatasetError(`${dataset.path} has no code; it is in code.parquet of each competition`);
  }
  for (const file of codeFiles) {
    const options = { columns: ["code_sha256", "code"], where: { code_sha256: { oneOf: missing } }, signal };
    for await (const rows of readBatches(file, options)) {
      for (const { code_sha256: codeKey, code } of rows) {
        if (typeof codeKey === "string" && typeof code === "string" && missing.delete(codeKey)) yield { codeKey, code };
      }
    }
  }
  for (const file of wideFiles) {
    const options = { fields: ["codeKey", "code"], codeKeys: [...missing], signal } as const;
    for await (const rows of readKernelRows(file, dataset.context, options)) {
      for (const { codeKey, code } of rows) if (code !== null && missing.delete(codeKey)) yield { codeKey, code };
    }
  }
}
