/** Reading what a client sent: every fault becomes one sentence that names the field. */
import { KernelBotError, quote } from "@kernelbot/core";
import type { Context } from "hono";
import type { z } from "zod";
import type { HttpEnv } from "./faces.ts";

/** The value in its shape. @throws KernelBotError `unprocessable` that names what is wrong, and where. */
export function validated<Shape extends z.ZodType>(shape: Shape, value: unknown): z.infer<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  throw new KernelBotError("unprocessable", validationSentence(result.error));
}

/** `targets[0]: use letters, digits, -, _ and . (at most 40); mode: expected one of …` */
export function validationSentence(error: z.ZodError): string {
  const shown = error.issues.slice(0, 3).map((issue) => {
    const field = issue.path.reduce<string>(
      (path, key) =>
        typeof key === "number" ? `${path}[${key}]` : path === "" ? String(key) : `${path}.${String(key)}`,
      "",
    );
    return field === "" ? issue.message : `${field}: ${issue.message}`;
  });
  const more = error.issues.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** The body as a JSON document of this shape. */
export async function readJson<Shape extends z.ZodType>(c: Context<HttpEnv>, shape: Shape): Promise<z.infer<Shape>> {
  const type = mediaType(c);
  if (type !== "application/json") {
    const what = type === "" ? "no media type" : `the media type ${quote(type)}`;
    throw new KernelBotError("unsupported_media_type", `The body has ${what}; send it as application/json.`);
  }
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await c.req.arrayBuffer()));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    throw new KernelBotError("bad_request", `The body is not JSON in UTF-8: ${error.message}`);
  }
  return validated(shape, document);
}

/** The media type of the body, without its parameters. */
export function mediaType(c: Context<HttpEnv>): string {
  return (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
