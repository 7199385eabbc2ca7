/** A submission as multipart form data, as `curl -F file=@kernel.py` and browsers send it. */
import { KernelBotError, parseSource, quote, SubmitRequest } from "@kernelbot/core";
import type { Context } from "hono";
import type { HttpEnv } from "../../services.ts";
import { mediaType, readJson, requireMediaType, validated } from "../../http/input.ts";

const FIELDS = ["board", "target", "targets", "mode", "file", "author", "model", "licence", "anonymous"];

/** Reads a submission request from JSON or form data. */
export async function readSubmitRequest(c: Context<HttpEnv>): Promise<SubmitRequest> {
  requireMediaType(c, ["application/json", "multipart/form-data"]);
  return mediaType(c) === "multipart/form-data" ? readForm(c) : readJson(c, SubmitRequest);
}

/**
 * Reads the body as form data.
 * @throws KernelBotError where it is not a form or is malformed.
 */
export async function readFormData(c: Context<HttpEnv>): Promise<FormData> {
  requireMediaType(c, ["multipart/form-data"]);
  try {
    return await c.req.raw.formData();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new KernelBotError("bad_request", "The form data is malformed: its parts do not match its boundary.");
  }
}

async function readForm(c: Context<HttpEnv>): Promise<SubmitRequest> {
  const form = await readFormData(c);
  const unknown = [...form.keys()].find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) {
    throw new KernelBotError(
      "unprocessable",
      `Unknown field ${quote(unknown)}; the fields are board, target, mode, file, author, model, licence and anonymous.`,
    );
  }
  for (const name of ["board", "mode", "author", "model", "licence", "anonymous"]) {
    if (form.getAll(name).length > 1) throw new KernelBotError("unprocessable", `${name}: send it once.`);
  }
  const [file, another] = form.getAll("file");
  if (!(file instanceof File) || another !== undefined) {
    throw new KernelBotError("unprocessable", "file: send exactly one file, with its name.");
  }
  const targets = [...form.getAll("target"), ...form.getAll("targets")].flatMap((value) => {
    if (typeof value !== "string") throw new KernelBotError("unprocessable", "target: send it as text, not as a file.");
    return value.split(",").map((target) => target.trim());
  });
  const licence = form.get("licence") ?? undefined;
  return validated(SubmitRequest, {
    board: form.get("board") ?? undefined,
    targets: targets.filter((target) => target !== ""),
    mode: form.get("mode") ?? undefined,
    fileName: file.name,
    author: form.get("author") ?? undefined,
    model: form.get("model") ?? undefined,
    licence: licence === "" ? null : licence,
    anonymous: anonymityOf(form.get("anonymous")),
    source: parseSource(new Uint8Array(await file.arrayBuffer())),
  });
}

/** Converts `true` and `false` to booleans; returns any other value unchanged for the schema to reject. */
function anonymityOf(value: FormDataEntryValue | null): unknown {
  if (value === "true" || value === "false") return value === "true";
  return value ?? undefined;
}
