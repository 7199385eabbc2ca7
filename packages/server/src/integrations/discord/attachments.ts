/** Downloads and parses files that users attach to commands. */
import { formatCount, formatBytes, KernelBotError, quote } from "@kernelbot/core";
import { z } from "zod";
import type { Bot } from "./bot.ts";
import { MAX_FILE_BYTES, type Attachment } from "./protocol.ts";

const FETCH_MS = 20_000;
/** Maximum number of faults that are reported at once. */
const MAX_FAULTS = 5;
/** Limit that keeps a listing of all rows below Discord's file size. */
const MAX_PAIRS = 100_000;

/**
 * Downloads an attachment, only from Discord's CDN.
 * @throws KernelBotError `too_large`; `unavailable` when the download fails.
 */
export async function downloadAttachment(
  { options }: Bot,
  { url, size }: Attachment,
  mostBytes: number,
): Promise<Uint8Array> {
  const tooLarge = (): KernelBotError =>
    new KernelBotError("too_large", `the file is too large: the limit is ${formatBytes(mostBytes)}`);
  if (size > mostBytes) throw tooLarge();
  const unavailable = (why: string, cause?: unknown): KernelBotError =>
    new KernelBotError("unavailable", `the file could not be downloaded from Discord (${why}); attach it again`, {
      cause,
    });
  if (URL.parse(url)?.origin !== new URL(options.cdnUrl).origin) throw unavailable("its URL is not on Discord's CDN");
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS), redirect: "error" });
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      length += chunk.length;
      if (length > mostBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw unavailable(error instanceof Error ? error.message : String(error), error);
  }
  if (length > mostBytes) throw tooLarge();
  return Buffer.concat(chunks);
}

const Document = z.custom<object>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  'must be a JSON object: { "…": "…" }',
);

/**
 * Returns the key-value pairs of an attachment that is a JSON object, in its order.
 * @param shape Schema of one pair; its messages are reported for invalid pairs.
 * @throws KernelBotError as `downloadAttachment`; `unprocessable` when the file is not a JSON object of valid pairs.
 */
export async function readPairs<Pair extends z.ZodType<readonly [string, unknown]>>(
  bot: Bot,
  file: Attachment,
  shape: Pair,
): Promise<z.infer<Pair>[]> {
  const refuse = (why: string) =>
    new KernelBotError("unprocessable", `${quote(file.filename)}: ${why}; nothing was changed`);
  const document = Document.safeParse(parseJson(await downloadAttachment(bot, file, MAX_FILE_BYTES), refuse));
  if (!document.success) throw refuse(messagesOf(document.error));
  const entries = Object.entries(document.data);
  if (entries.length === 0) throw refuse("the file has no entries");
  if (entries.length > MAX_PAIRS) {
    throw refuse(
      `the file has ${formatCount(entries.length, "row")}; the limit is ${MAX_PAIRS.toLocaleString("en-US")}`,
    );
  }
  const pairs: z.infer<Pair>[] = [];
  const faults: string[] = [];
  // Not a zod record, which would silently drop a key `__proto__`.
  for (const pair of entries) {
    const read = shape.safeParse(pair);
    if (read.success) pairs.push(read.data);
    else faults.push(`${quote(pair[0])}: ${messagesOf(read.error)}`);
    if (faults.length === MAX_FAULTS) break;
  }
  if (faults.length > 0) throw refuse(faults.join("; "));
  return pairs;
}

function messagesOf({ issues }: z.ZodError): string {
  return issues.map(({ message }) => message).join(", ");
}

function parseJson(bytes: Uint8Array, refuse: (why: string) => KernelBotError): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw refuse(`not valid UTF-8 JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}
