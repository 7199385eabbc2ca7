/** Validation of client input: every error becomes one sentence that names the field. */
import { KernelBotError, quote } from "@kernelbot/core";
import type { Context } from "hono";
import { z } from "zod";
import type { HttpEnv } from "../services.ts";

/** Maximum number of errors in a sentence. */
const SHOWN_FAULTS = 3;

/** Maximum nesting of arrays and objects in a body; no schema needs a tenth of it. */
const MAX_DEPTH = 100;

/**
 * Returns the value as parsed by the schema.
 * @param labels Names of form fields, where they differ from the names in the schema.
 * @throws KernelBotError `unprocessable` with the fields and their errors.
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

/** Formats validation errors: `targets[0]: use letters, digits, -, _ and . (at most 40); mode: expected one of …` */
function validationSentence(error: z.ZodError, labels: Readonly<Record<string, string>> = {}): string {
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
  // A single value may violate several rules with the same message.
  const different = [...new Set(sentences)];
  const more = different.length - SHOWN_FAULTS;
  return `${different.slice(0, SHOWN_FAULTS).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** Returns a schema for a field or query parameter that may be empty; an empty string becomes undefined. */
export function optional<Shape extends z.ZodType>(shape: Shape) {
  return z.preprocess((text) => (text === "" ? undefined : text), shape.optional()).optional();
}

/**
 * Reads the body as JSON of this schema.
 * @throws KernelBotError `unsupported_media_type`, `bad_request` for invalid JSON, or `unprocessable`.
 */
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

/**
 * Reads a URL-encoded form of this schema, each field at most once.
 * @throws KernelBotError `unsupported_media_type` or `unprocessable`.
 */
export async function readFields<Shape extends z.ZodType>(c: Context<HttpEnv>, shape: Shape): Promise<z.infer<Shape>> {
  requireMediaType(c, ["application/x-www-form-urlencoded"]);
  const fields = new URLSearchParams(await c.req.text());
  const twice = [...fields.keys()].find((name) => fields.getAll(name).length > 1);
  if (twice !== undefined) throw new KernelBotError("unprocessable", `${quote(twice)}: send this field only once`);
  return validated(shape, Object.fromEntries(fields));
}

/** Returns whether the value is nested deeper than `levels`, so that later code may recurse safely. */
function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/**
 * Rejects a body whose media type is not in the list.
 * @throws KernelBotError `unsupported_media_type`.
 */
export function requireMediaType(c: Context<HttpEnv>, allowed: readonly string[]): void {
  const type = mediaType(c);
  if (allowed.includes(type)) return;
  const what = type === "" ? "no media type" : `the media type ${quote(type)}`;
  throw new KernelBotError("unsupported_media_type", `The body has ${what}; send it as ${allowed.join(" or ")}.`);
}

/** Returns the media type of the body in lower case, without parameters; empty where it is missing. */
export function mediaType(c: Context<HttpEnv>): string {
  return (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
