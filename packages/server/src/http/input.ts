/** Reading what a client sent: every fault becomes one sentence that names the field. */
import { KernelBotError, quote } from "@kernelbot/core";
import type { Context } from "hono";
import { z } from "zod";
import type { HttpEnv } from "./faces.ts";

/** Faults that a sentence names. */
const SHOWN_FAULTS = 3;

/** Arrays and objects within each other; no shape of ours needs a tenth of it. */
const MAX_DEPTH = 100;

/**
 * The value in its shape. @param labels What a form calls its fields, where that is not what we do.
 * @throws KernelBotError `unprocessable` that names what is wrong, and where.
 */
export function validated<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  labels: Readonly<Record<string, string>> = {},
): z.infer<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  throw new KernelBotError("unprocessable", validationSentence(result.error, labels));
}

/** `targets[0]: use letters, digits, -, _ and . (at most 40); mode: expected one of …` */
export function validationSentence(error: z.ZodError, labels: Readonly<Record<string, string>> = {}): string {
  const sentences = error.issues.map((issue) => {
    const field = issue.path.reduce<string>(
      (path, key) =>
        typeof key === "number"
          ? `${path}[${key}]`
          : path === ""
            ? (labels[String(key)] ?? String(key))
            : `${path}.${String(key)}`,
      "",
    );
    return field === "" ? issue.message : `${field}: ${issue.message}`;
  });
  // One value may break several rules that are worded as one.
  const different = [...new Set(sentences)];
  const more = different.length - SHOWN_FAULTS;
  return `${different.slice(0, SHOWN_FAULTS).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** A whole number as an address has it: decimal digits, so that what else JavaScript takes for a number is refused. */
export function wholeNumber(least: number, most: number) {
  const what = `use a whole number from ${least} to ${most}`;
  return z.preprocess(
    (text) => (typeof text === "string" && /^\d+$/.test(text) ? Number(text) : text),
    z.int(what).min(least, what).max(most, what),
  );
}

/** What a query may repeat, so many times at most: also a single one is a list. */
export function repeated<Shape extends z.ZodType>(shape: Shape, most: number) {
  return z.preprocess(
    (value) => (typeof value === "string" ? [value] : value),
    z.array(shape).max(most, `at most ${most} at once`),
  );
}

/** A field of a form, or a word of a query, that may be left empty. */
export function optional<Shape extends z.ZodType>(shape: Shape) {
  return z.preprocess((text) => (text === "" ? undefined : text), shape.optional()).optional();
}

/** The body as a JSON document of this shape. */
export async function readJson<Shape extends z.ZodType>(c: Context<HttpEnv>, shape: Shape): Promise<z.infer<Shape>> {
  requireMediaType(c, ["application/json"]);
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await c.req.arrayBuffer()));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    throw new KernelBotError("bad_request", `The body is not JSON in UTF-8: ${error.message}`);
  }
  if (isDeeper(document, MAX_DEPTH)) {
    throw new KernelBotError("unprocessable", `The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  return validated(shape, document);
}

/** The fields of a form in this shape, each at most once. */
export async function readFields<Shape extends z.ZodType>(c: Context<HttpEnv>, shape: Shape): Promise<z.infer<Shape>> {
  requireMediaType(c, ["application/x-www-form-urlencoded"]);
  const fields = new URLSearchParams(await c.req.text());
  const twice = [...fields.keys()].find((name) => fields.getAll(name).length > 1);
  if (twice !== undefined) throw new KernelBotError("unprocessable", `${quote(twice)}: send it once`);
  return validated(shape, Object.fromEntries(fields));
}

/** Whether there is something at so many levels below: what reads a value afterwards may do so by recursion. */
function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Refuses a body of any other media type than these. */
export function requireMediaType(c: Context<HttpEnv>, allowed: readonly string[]): void {
  const type = mediaType(c);
  if (allowed.includes(type)) return;
  const what = type === "" ? "no media type" : `the media type ${quote(type)}`;
  throw new KernelBotError("unsupported_media_type", `The body has ${what}; send it as ${allowed.join(" or ")}.`);
}

/** The media type of the body, without its parameters. */
export function mediaType(c: Context<HttpEnv>): string {
  return (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
