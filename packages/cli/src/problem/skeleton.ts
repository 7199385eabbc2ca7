/** A complete problem to start from: the files of `skeleton/`, which compute a small thing in all the parts that a problem has. */
import { access, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ProblemName, quote } from "@kernelbot/core";
import { UsageError } from "../exit.ts";

const SKELETON = join(import.meta.dirname, "skeleton");
/** What belongs to C++ alone. */
const CPP = /\.(?:cpp|h)$/;

export interface NewProblem {
  name: string;
  /** The directory of the set, which is made where it is missing. */
  set: string;
  cpp: boolean;
}

/**
 * Writes the directory of a problem.
 * @returns its path
 * @throws UsageError where the name is none, is taken, or the directory is there; nothing is written then.
 */
export async function writeProblem({ name, set, cpp }: NewProblem): Promise<string> {
  if (!ProblemName.safeParse(name).success) {
    throw new UsageError(`${quote(name)} is no name of a problem: take lower-case letters, digits, - and _`);
  }
  const directory = join(set, name);
  if (await exists(directory)) throw new UsageError(`${quote(directory)} is there already; take another name or --set`);
  const taken = await takenBy(name, set);
  if (taken !== null)
    throw new UsageError(`${quote(taken)} has this name, and no two sets may have a problem of one name`);
  await mkdir(set, { recursive: true });
  try {
    await cp(SKELETON, directory, {
      recursive: true,
      errorOnExist: true,
      force: false,
      filter: (source) => cpp || !CPP.test(source),
    });
    for (const file of await files(directory)) await writeFile(file, filled(await readFile(file, "utf8"), name, cpp));
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
  return directory;
}

/** The text of a file of the skeleton for this problem. */
function filled(text: string, name: string, cpp: boolean): string {
  return text
    .replaceAll("@NAME@", name)
    .replace("@LANGUAGES@", cpp ? "languages:\n  py:\n  cpp:\n\n" : "")
    .replace("@CPP_TEMPLATE@\n", cpp ? "  C++: template.cpp\n\n" : "\n");
}

/** The problem of this name in a set beside this one. */
async function takenBy(name: string, set: string): Promise<string | null> {
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
