/** Lists objects of a bucket. */
import { KernelBotError } from "@kernelbot/core";
import type { S3Options } from "./options.ts";
import { elementsOf, requestWithRetries, type RetryPolicy } from "./request.ts";

/**
 * Returns what is below a path that is empty or ends with a slash: the names of all objects, or with `folders` the names
 * of the folders directly in it, which end with a slash. Names are relative to the path.
 * @throws KernelBotError `unavailable` when the service fails or the bucket is missing.
 */
export async function listObjects(
  options: S3Options,
  path: string,
  patience: RetryPolicy,
  { folders = false }: { folders?: boolean } = {},
): Promise<string[]> {
  const prefix = `${options.prefix}${path}`;
  const names: string[] = [];
  for (let token: string | undefined, isLast = false; !isLast;) {
    const query = {
      "list-type": "2",
      "encoding-type": "url",
      prefix,
      ...(folders && { delimiter: "/" }),
      ...(token !== undefined && { "continuation-token": token }),
    };
    const response = await requestWithRetries(options, { method: "GET", name: null, query }, patience);
    const text = await response.text();
    if (!response.ok) throw new KernelBotError("unavailable", "the object store bucket does not exist");
    const parts = folders ? text.split("<CommonPrefixes>").slice(1) : [text];
    const found = parts.flatMap((part) => elementsOf(part, folders ? "Prefix" : "Key"));
    names.push(...found.map((name) => decodeURIComponent(name.replaceAll("+", " ")).slice(prefix.length)));
    [token] = elementsOf(text, "NextContinuationToken");
    isLast = token === undefined;
  }
  return names;
}
