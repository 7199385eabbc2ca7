/** Completes FlashInfer Trace solutions whose sources are files next to the document. */
import { readFile, realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { UsageError } from "../command/exit.ts";

/**
 * Returns the document at `path` with the contents of sources that have none in it. Other files, and documents that are
 * not valid JSON, are returned unchanged.
 * @throws UsageError for a source that is a link to a file outside of the document's folder: the solution may be someone
 * else's, and a submission is sent to a server.
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
  const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, source.path)).catch(() => null)]);
  if (path === null) return source;
  if (!path.startsWith(`${root}${sep}`)) {
    throw new UsageError(`the source ${JSON.stringify(source.path)} is a link out of its folder; copy the file there`);
  }
  const content = await readFile(path, "utf8").catch(() => undefined);
  return content === undefined ? source : { ...source, content };
}
