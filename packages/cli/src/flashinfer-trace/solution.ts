/** Reads FlashInfer Trace solutions from disk. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { formatTraceFault, parseDocument, parseJson, Solution, type TraceFault } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

/**
 * Parses a solution. A source without content is read from the file of its path next to the document.
 * @param text content of the document at `path`
 * @throws UsageError that names each faulty field
 */
export async function readSolution(path: string, text: string): Promise<Solution> {
  const faults: TraceFault[] = [];
  const value = parseJson(text, path, faults);
  const solution = value === undefined ? null : parseDocument(Solution, await completed(path, value), path, faults);
  if (solution === null) throw new UsageError(faults.map(formatTraceFault).join("; "));
  return solution;
}

/** Returns the document with the contents that are files next to it. */
async function completed(path: string, value: unknown): Promise<unknown> {
  if (typeof value !== "object" || value === null || !("sources" in value) || !Array.isArray(value.sources))
    return value;
  const sources = (value.sources as unknown[]).map(async (source) => {
    if (typeof source !== "object" || source === null || !("path" in source) || typeof source.path !== "string")
      return source;
    const isInside = source.path.split("/").every((part) => !["", ".", ".."].includes(part));
    if (("content" in source && source.content !== "" && source.content !== null) || !isInside) return source;
    const content = await readFile(join(dirname(path), source.path), "utf8").catch(() => undefined);
    return content === undefined ? source : { ...source, content };
  });
  return { ...value, sources: await Promise.all(sources) };
}
