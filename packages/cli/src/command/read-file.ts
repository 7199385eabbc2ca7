import { readFile } from "node:fs/promises";
import { UsageError } from "./exit.ts";

/** Returns the text of a file that the caller named. @throws UsageError if it cannot be read. */
export async function readNamedFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read ${JSON.stringify(file)}: ${(error as Error).message}`, { cause: error });
  }
}
