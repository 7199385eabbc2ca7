/** Reads the requests of the popcorn client. */
import { wholeNumber } from "@kernelbot/api";
import { KernelBotError, parseSource, quote } from "@kernelbot/core";
import type { Context } from "hono";
import type { HttpEnv } from "@kernelbot/server/src/services.ts";
import { readFormData } from "@kernelbot/server/src/submissions/routes/multipart.ts";

export interface Upload {
  fileName: string;
  source: string;
  /** Field `benchmark_index`, counted from 0; null where it is not sent. */
  benchmark: number | null;
}

/** Reads the form's only `file` part and its options. */
export async function readUpload(c: Context<HttpEnv>): Promise<Upload> {
  const form = await readFormData(c);
  const [file, another] = form.getAll("file");
  if (!(file instanceof File) || another !== undefined) {
    throw new KernelBotError("unprocessable", "file: send exactly one file, with its name.");
  }
  const index = form.get("benchmark_index");
  if (index !== null && !(typeof index === "string" && /^\d{1,4}$/.test(index))) {
    throw new KernelBotError("unprocessable", "benchmark_index: use a whole number, counted from 0.");
  }
  const source = parseSource(new Uint8Array(await file.arrayBuffer()));
  return { fileName: file.name, source, benchmark: index === null ? null : Number(index) };
}

/**
 * Returns an integer query parameter.
 * @throws KernelBotError `bad_request`.
 */
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

/**
 * Returns a boolean query parameter; false where it is absent.
 * @throws KernelBotError `bad_request`.
 */
export function queryBoolean(c: Context<HttpEnv>, name: string): boolean {
  const text = c.req.query(name);
  if (text === undefined) return false;
  const lower = text.toLowerCase();
  if (lower === "true" || lower === "1") return true;
  if (lower === "false" || lower === "0") return false;
  throw new KernelBotError("bad_request", `${name} must be true or false, not ${quote(text)}`);
}

/**
 * Checks the names of the query parameters.
 * @throws KernelBotError `bad_request` for one that is not in `known` or is repeated.
 */
export function requireQuery(c: Context<HttpEnv>, known: readonly string[]): void {
  for (const [name, values] of Object.entries(c.req.queries())) {
    if (!known.includes(name)) {
      const there = known.length === 0 ? "this endpoint has none" : `allowed: ${known.join(", ")}`;
      throw new KernelBotError("bad_request", `unknown query parameter ${quote(name)}: ${there}`);
    }
    if (values.length > 1) throw new KernelBotError("bad_request", `${name} must not be repeated`);
  }
}

/**
 * Returns the submission id in the path.
 * @throws KernelBotError `not_found` where it is not a valid id.
 */
export function submissionId(c: Context<HttpEnv>): number {
  const parsed = wholeNumber(1, Number.MAX_SAFE_INTEGER).safeParse(c.req.param("id"));
  if (parsed.success) return parsed.data;
  throw new KernelBotError("not_found", "Submission not found");
}
