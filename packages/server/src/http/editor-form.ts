/** The form of the editor: what was typed in it, and the request that it makes. */
import { createHash, randomBytes } from "node:crypto";
import { KernelBotError, SubmitRequest } from "@kernelbot/core";
import type { EditorFields } from "@kernelbot/web";
import type { Context } from "hono";
import { decodeSource } from "../intake/source.ts";
import type { HttpEnv } from "./faces.ts";
import { validated } from "./input.ts";
import { readFormData } from "./multipart.ts";

export interface FilledForm {
  fields: EditorFields;
  mode: string;
  key: string;
  /** A file that was chosen stands for what was typed. */
  file: File | null;
}

export async function readFilledForm(c: Context<HttpEnv>): Promise<FilledForm> {
  const form = await readFormData(c);
  const file = form.get("file");
  return {
    fields: {
      fileName: text(form.get("fileName")),
      // A form ends its lines with CRLF.
      source: text(form.get("source")).replaceAll("\r\n", "\n"),
      targets: form.getAll("target").map(text),
      author: text(form.get("author")),
      model: text(form.get("model")),
      licence: text(form.get("licence")),
    },
    mode: text(form.get("mode")),
    key: text(form.get("key")),
    // Where no file is chosen, browsers send one without a name.
    file: file instanceof File && file.name !== "" ? file : null,
  };
}

function text(value: FormDataEntryValue | null): string {
  return typeof value === "string" ? value : "";
}

/** The fields with the file that was chosen in the place of what was typed. @throws KernelBotError where it is no source. */
export async function withFile({ fields, file }: FilledForm): Promise<EditorFields> {
  if (file === null) return fields;
  return { ...fields, fileName: file.name, source: decodeSource(new Uint8Array(await file.arrayBuffer())) };
}

/** The request for a board. @throws KernelBotError that names the field which is wrong. */
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

/** A key for a form that is shown. */
export function newKey(): string {
  return randomBytes(16).toString("hex");
}

export function isFormKey(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** The same form sent twice is one submission; changed on the way, as by going back to it, it is another. */
export function idempotencyKey(formKey: string, request: SubmitRequest): string {
  if (!isFormKey(formKey)) {
    throw new KernelBotError("unprocessable", "The form has lost its key; press the button again.");
  }
  return `${formKey}-${createHash("sha256").update(JSON.stringify(request)).digest("hex")}`;
}
