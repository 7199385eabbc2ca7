/** Reads the SQL files of `packages/server/schema`, which define the current schema. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

const SCHEMA = join(import.meta.dirname, "../../schema");

/**
 * Returns the SQL that creates the schema in an empty database.
 * @throws Error when a file is missing or is not executed exactly once.
 */
export async function readSchema(folder: string = SCHEMA): Promise<string> {
  const files = await orderOfFiles(folder);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  // Function bodies may refer to tables that are created later.
  return ["set local check_function_bodies = off;\n", ...texts].join("\n");
}

/** Returns the files in the order of `order.txt`. */
async function orderOfFiles(folder: string): Promise<string[]> {
  const lines = (await readFile(join(folder, "order.txt"), "utf8"))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const existing = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".sql")).toSorted();
  const files = lines.flatMap((line) =>
    line.endsWith("/*") ? existing.filter((file) => file.startsWith(line.slice(0, -1)) && !lines.includes(file)) : line,
  );
  const unlisted = existing.filter((file) => !files.includes(file));
  if (unlisted.length > 0) throw new Error(`${join(folder, "order.txt")} does not list ${unlisted.join(", ")}`);
  return files;
}
