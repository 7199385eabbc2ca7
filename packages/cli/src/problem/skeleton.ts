/** Template of a problem: the files of `skeleton/`, a small complete problem that uses every part of the format. */
import { access, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ProblemName, quote } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

const SKELETON = join(import.meta.dirname, "skeleton");
/** Files used only for C++. */
const CPP = /\.(?:cpp|h)$/;

interface NewProblem {
  name: string;
  /** Directory of the problem set; created if missing. */
  set: string;
  cpp: boolean;
}

/**
 * Writes the directory of a new problem.
 * @returns its path
 * @throws UsageError when the name is invalid or taken, or the directory exists; nothing is written then.
 */
export async function writeProblem({ name, set, cpp }: NewProblem): Promise<string> {
  if (!ProblemName.safeParse(name).success) {
    throw new UsageError(`${quote(name)} is not a valid problem name: use lower-case letters, digits, - and _`);
  }
  const directory = join(set, name);
  if (await exists(directory)) throw new UsageError(`${quote(directory)} already exists; use another name or --set`);
  const taken = await findByName(name, set);
  if (taken !== null)
    throw new UsageError(`${quote(taken)} has the same name; problem names must be unique across sets`);
  await mkdir(set, { recursive: true });
  try {
    await cp(SKELETON, directory, {
      recursive: true,
      errorOnExist: true,
      force: false,
      filter: (source) => cpp || !CPP.test(source),
    });
    for (const file of await files(directory)) await writeFile(file, filled(await readFile(file, "utf8"), cpp));
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
  return directory;
}

/** Fills the placeholders of a skeleton file. */
function filled(text: string, cpp: boolean): string {
  return text
    .replace("@LANGUAGES@", cpp ? "languages:\n  py:\n  cpp:\n\n" : "")
    .replace("@CPP_TEMPLATE@\n", cpp ? "  C++: template.cpp\n\n" : "\n");
}

/** Returns the directory of a problem of this name in a sibling set; null if there is none. */
async function findByName(name: string, set: string): Promise<string | null> {
  const own = resolve(set);
  const root = dirname(own);
  const sets = await readdir(root, { withFileTypes: true }).catch(() => []);
  for (const entry of sets) {
    const other = join(root, entry.name, name);
    if (entry.isDirectory() && entry.name !== basename(own) && (await exists(join(other, "task.yml")))) return other;
  }
  return null;
}

async function files(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
