/** Secrets in files, read on each use, so that a replaced secret takes effect immediately. */
import { accessSync, constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { z } from "zod";

/** Absolute path of a readable file. */
export const FilePath = z.string().superRefine((path, context) => {
  const fault = isAbsolute(path) ? unreadable(path) : "use an absolute path";
  if (fault !== null) context.addIssue({ code: "custom", message: fault });
});

function unreadable(path: string): string | null {
  try {
    accessSync(path, constants.R_OK);
    return null;
  } catch (error) {
    return `the file cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`;
  }
}

/** Returns the content of a file without surrounding whitespace. @throws Error when it is empty. */
export async function readSecret(path: string): Promise<string> {
  const secret = (await readFile(path, "utf8")).trim();
  if (secret === "") throw new Error(`${path} is empty`);
  return secret;
}
