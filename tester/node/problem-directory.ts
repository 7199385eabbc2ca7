import { readdirSync, readFileSync, realpathSync, statSync, type Dirent } from "node:fs";
import { basename, join, resolve, sep } from "node:path";
import {
  KernelBotError,
  quote,
  readProblem,
  type DirectoryFile,
  type ListedDirectory,
  type Problem,
} from "@kernelbot/core";
import { findListing } from "./competition-files.ts";

export interface LoadOptions {
  /**
   * What a competition file states about the directory, null for nothing; by default, the file is searched in the
   * folders above.
   */
  listed?: ListedDirectory | null;
  /** Target of a problem for which no file names one, such as from the option `--target`. */
  target?: string | undefined;
}

/**
 * Loads the problem of a directory, with the name and targets that a competition file above states. Its few small files
 * are read synchronously, in a seventh of the time, which matters to servers that load thousands of problems at their
 * start.
 * @throws KernelBotError `unprocessable` that names the directory or file and the error.
 */
export async function loadProblemDirectory(directory: string, options: LoadOptions = {}): Promise<Problem> {
  const path = resolve(directory);
  let entries: Dirent[];
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (cause) {
    throw new KernelBotError("unprocessable", `problem directory ${quote(path)} not found`, { cause });
  }
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => fileAt(name, join(path, name)));
  const { listed, errors } = options.listed === undefined ? findListing(path) : { listed: options.listed, errors: [] };
  const others = { listed: listed?.gpus ?? null, requested: options.target ?? null };
  try {
    return await readProblem(
      listed?.name ?? basename(path),
      files,
      (source) => Promise.resolve(find(path, source)),
      others,
    );
  } catch (error) {
    if (!(error instanceof KernelBotError) || errors.length === 0) throw error;
    throw new KernelBotError(error.code, [error.message, ...errors].join("; "), { cause: error });
  }
}

function fileAt(name: string, path: string): DirectoryFile {
  return { name, sizeBytes: statSync(path).size, read: () => Promise.resolve(readFileSync(path)) };
}

/**
 * Returns the regular file at `path` relative to `directory`; null when it does not exist or is outside the root of all
 * problems.
 */
function find(directory: string, path: string): DirectoryFile | null {
  // ROOT/SET/PROBLEM: problems of a set share files, and sets may, too.
  const root = resolve(directory, "../..");
  try {
    const file = realpathSync(resolve(directory, path));
    if (!statSync(file).isFile() || !file.startsWith(join(realpathSync(root), sep))) return null;
    return fileAt(path, file);
  } catch {
    return null;
  }
}
