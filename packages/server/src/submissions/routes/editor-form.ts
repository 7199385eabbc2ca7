/** The editor form: its input, and the submission request made from it. */
import { createHash, randomBytes } from "node:crypto";
import { KernelBotError, normalizeSource, parseSource, SubmitRequest } from "@kernelbot/core";
import type { EditorFields } from "@kernelbot/web";
import type { Context } from "hono";
import type { HttpEnv } from "../../services.ts";
import { validated } from "../../http/input.ts";
import { readFormData } from "./multipart.ts";

interface FilledForm {
  fields: EditorFields;
  mode: string;
  key: string;
  /** Chosen file; replaces the text of the editor. Null where none was chosen. */
  file: File | null;
}

export async function readFilledForm(c: Context<HttpEnv>): Promise<FilledForm> {
  const form = await readFormData(c);
  const file = form.get("file");
  return {
    fields: {
      fileName: text(form.get("fileName")),
      // HTML forms encode line ends as CRLF.
      source: normalizeSource(text(form.get("source"))),
      targets: form.getAll("target").map(text),
      author: text(form.get("author")),
      model: text(form.get("model")),
      licence: text(form.get("licence")),
    },
    mode: text(form.get("mode")),
    key: text(form.get("key")),
    // Browsers send a file with an empty name where none is chosen.
    file: file instanceof File && file.name !== "" ? file : null,
  };
}

function text(value: FormDataEntryValue | null): string {
  return typeof value === "string" ? value : "";
}

/**
 * Returns the fields with the chosen file in place of the editor's text.
 * @throws KernelBotError where the file is not valid source text.
 */
export async function withFile({ fields, file }: FilledForm): Promise<EditorFields> {
  if (file === null) return fields;
  return { ...fields, fileName: file.name, source: parseSource(new Uint8Array(await file.arrayBuffer())) };
}

/**
 * Returns the submission request for a board.
 * @throws KernelBotError that names the invalid field.
 */
export function requestOf(board: string, mode: string, fields: EditorFields): SubmitRequest {
  const { fileName, source, targets, author, model, licence } = fields;
  return validated(SubmitRequest, {
    board,
    targets,
    mode,
    fileName,
    source,
    author: author === "" ? undefined : author,
    model: model.trim() === "" ? undefined : model,
    licence: licence === "" ? undefined : licence === "none" ? null : licence,
  });
}

/** Returns a new key for a displayed form: 32 hexadecimal digits. */
export function newKey(): string {
  return randomBytes(16).toString("hex");
}

export function isFormKey(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/**
 * Returns the idempotency key of a form and its content. The same form sent twice is one submission; with changed
 * content it is another.
 * @throws KernelBotError `unprocessable` where the form has no valid key.
 */
export function idempotencyKey(formKey: string, request: SubmitRequest): string {
  if (!isFormKey(formKey)) {
    throw new KernelBotError("unprocessable", "The form has no valid key; submit it again.");
  }
  return `${formKey}-${createHash("sha256").update(JSON.stringify(request)).digest("hex")}`;
}
