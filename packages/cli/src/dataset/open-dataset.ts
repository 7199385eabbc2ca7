/** Opens a dataset and reads the rows and sources that an analysis needs. */
import {
  DatasetError,
  kernelRows,
  openDataset,
  readSources,
  type Dataset,
  type KernelField,
  type KernelRow,
} from "@kernelbot/dataset";
import { UsageError } from "../command/exit.ts";
import { LiveBlock, terminalOf } from "../output/terminal.ts";
import { formatCount, wrap } from "../output/text.ts";
import { findDataset } from "./dataset-path.ts";

/** Opens the dataset and runs `work`; errors in its files become usage errors, since the user can fix them. */
export async function withDataset<Result>(
  data: string | undefined,
  work: (dataset: Dataset) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(await openDataset(await findDataset(data)));
  } catch (error) {
    if (error instanceof DatasetError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

export interface Filter {
  problem: string | undefined;
  target: string | undefined;
}

/** Returns the rows of a problem and target. @throws UsageError when no row matches. */
export async function rowsOf<Field extends KernelField>(
  dataset: Dataset,
  fields: readonly Field[],
  { problem, target }: Filter,
): Promise<Pick<KernelRow, Field>[]> {
  const rows: Pick<KernelRow, Field>[] = [];
  for await (const batch of kernelRows(dataset, { fields, problem, target })) for (const row of batch) rows.push(row);
  if (rows.length > 0) return rows;
  const filtered = [
    problem === undefined ? [] : [`of ${problem}`],
    target === undefined ? [] : [`on ${target}`],
  ].flat();
  throw new UsageError(`the dataset has no rows ${filtered.join(" ")}`.trimEnd());
}

/** Computes a value for each source, by the source's key. A terminal shows the progress. */
export async function ofSources<Made>(
  dataset: Dataset,
  fileNames: ReadonlyMap<string, string>,
  make: (source: string, fileName: string) => Made,
): Promise<Map<string, Made>> {
  const made = new Map<string, Made>();
  const block = terminalOf(process.stderr).live ? new LiveBlock(process.stderr) : null;
  let drawnAt = 0;
  for await (const { codeKey, code } of readSources(dataset, fileNames.keys())) {
    made.set(codeKey, make(code, fileNames.get(codeKey) ?? ""));
    if (block === null || performance.now() - drawnAt < 100) continue;
    drawnAt = performance.now();
    block.draw([`read ${made.size.toLocaleString("en-US")} of ${formatCount(fileNames.size, "source")}`]);
  }
  block?.clear();
  return made;
}

/** Prints a note for the user on standard error, so that the result on standard output can be piped. */
function printNote(text: string): void {
  const { print, width, style } = terminalOf(process.stderr);
  print(wrap(text, width).map(style.dim));
}

export function printImplausible(rows: number): void {
  if (rows > 0) printNote(`Left out ${formatCount(rows, "row")} with a runtime below 100 ns.`);
}
