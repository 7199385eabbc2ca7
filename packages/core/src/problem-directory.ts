/**
 * What of a directory belongs to a problem: the regular files at its top that are not hidden, all of them text. Folders,
 * such as `solutions`, stay with the author. Server and tester read directories by this one rule, so that a directory has
 * the same version everywhere.
 */
import { KernelBotError, quote } from "./errors.ts";
import { MAX_PROBLEM_FILE_BYTES, parseProblem, type Problem, type ProblemFiles } from "./problem.ts";

/** A regular file at the top of a directory. */
export interface DirectoryFile {
  name: string;
  sizeBytes: number;
  read: () => Promise<Uint8Array>;
}

/**
 * Makes a problem of a directory's files.
 * @throws KernelBotError `unprocessable` that names the file or the key, and what is wrong with it.
 */
export async function readProblem(name: string, listing: readonly DirectoryFile[]): Promise<Problem> {
  const files: ProblemFiles = {};
  for (const file of listing.filter((entry) => !entry.name.startsWith("."))) {
    if (file.sizeBytes > MAX_PROBLEM_FILE_BYTES) {
      throw refusal(name, file.name, `is larger than ${MAX_PROBLEM_FILE_BYTES} bytes`);
    }
    files[file.name] = decode(name, file.name, await file.read());
  }
  return parseProblem(name, files);
}

function decode(problem: string, file: string, bytes: Uint8Array): string {
  try {
    // PostgreSQL stores no NUL in texts, and no source needs one.
    if (bytes.includes(0)) throw new TypeError("it holds NUL bytes");
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw refusal(problem, file, "is not UTF-8 text", cause);
  }
}

function refusal(problem: string, file: string, what: string, cause?: unknown): KernelBotError {
  return new KernelBotError("unprocessable", `problem ${quote(problem)}: ${quote(file)} ${what}`, { cause });
}
