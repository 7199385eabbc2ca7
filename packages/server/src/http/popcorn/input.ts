/** Reading what the client sends. */
import { KernelBotError, quote } from "@kernelbot/core";
import type { Context } from "hono";
import { decodeSource } from "../../intake/source.ts";
import type { HttpEnv } from "../faces.ts";
import { wholeNumber } from "../input.ts";
import { readFormData } from "../multipart.ts";

/** The one part `file` of the form: its name and its text. */
export async function readFile(c: Context<HttpEnv>): Promise<{ fileName: string; source: string }> {
  const form = await readFormData(c);
  const [file, another] = form.getAll("file");
  if (!(file instanceof File) || another !== undefined) {
    throw new KernelBotError("unprocessable", "file: send exactly one file, with its name.");
  }
  return { fileName: file.name, source: decodeSource(new Uint8Array(await file.arrayBuffer())) };
}

/** A whole number of the query. @throws KernelBotError `bad_request`. */
export function queryNumber(
  c: Context<HttpEnv>,
  name: string,
  { least, most = Number.MAX_SAFE_INTEGER, usually }: { least: number; most?: number; usually: number },
): number {
  const text = c.req.query(name);
  if (text === undefined) return usually;
  const parsed = wholeNumber(least, most).safeParse(text);
  if (parsed.success) return parsed.data;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `>= ${least}` : `between ${least} and ${most}`;
  throw new KernelBotError("bad_request", `${name} must be ${bounds}, not ${quote(text)}`);
}

/** A number in the path. @throws KernelBotError `not_found` where it is none. */
export function submissionId(c: Context<HttpEnv>): number {
  const parsed = wholeNumber(1, Number.MAX_SAFE_INTEGER).safeParse(c.req.param("id"));
  if (parsed.success) return parsed.data;
  throw new KernelBotError("not_found", "Submission not found");
}
