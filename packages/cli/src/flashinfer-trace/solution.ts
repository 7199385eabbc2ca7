/** Completes FlashInfer Trace solutions whose sources are files next to the document. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Returns the document at `path` with the contents of sources that have none in it. Other files, and documents that are
 * not valid JSON, are returned unchanged.
 */
export async function withContents(path: string, text: string): Promise<string> {
  if (!path.endsWith(".json")) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value !== "object" || value === null || !("sources" in value) || !Array.isArray(value.sources))
    return text;
  const sources = await Promise.all(value.sources.map((source: unknown) => completed(dirname(path), source)));
  return JSON.stringify({ ...value, sources });
}

async function completed(folder: string, source: unknown): Promise<unknown> {
  if (typeof source !== "object" || source === null || !("path" in source) || typeof source.path !== "string")
    return source;
  const isInside = source.path.split("/").every((part) => !["", ".", ".."].includes(part));
  if (("content" in source && source.content !== "" && source.content !== null) || !isInside) return source;
  const content = await readFile(join(folder, source.path), "utf8").catch(() => undefined);
  return content === undefined ? source : { ...source, content };
}
