/** Reads the competition files in the folders above problem directories. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import {
  findCompetitions,
  isCompetitionPath,
  listedDirectories,
  MAX_PROBLEM_FILE_BYTES,
  type FoundCompetition,
  type ListedDirectory,
} from "@kernelbot/core";

/** Maximum depth of problem directories below the root of the problems: SET/GROUP/PROBLEM plus one. */
export const MAX_PROBLEM_DEPTH = 4;

/** What competition files state about a directory. */
export interface Listing {
  /** Null if no valid file lists the directory. */
  listed: ListedDirectory | null;
  /** Errors in files that mention the directory, if none lists it. */
  errors: string[];
}

/** Reads the competition files at the root of a folder of problems. */
export function readCompetitionFiles(root: string): FoundCompetition[] {
  return findCompetitions(yamlTexts(root));
}

/** Finds the competition file that lists a directory, in the folders above it: the root is at most four levels up. */
export function findListing(directory: string): Listing {
  const path = resolve(directory);
  const errors: string[] = [];
  let folder = path;
  for (let level = 0; level < MAX_PROBLEM_DEPTH && folder !== dirname(folder); level += 1) {
    folder = dirname(folder);
    // Folders above a problem may have other YAML files.
    const texts = Object.entries(yamlTexts(folder)).filter(([, text]) => text.includes(basename(path)));
    const competitions = findCompetitions(Object.fromEntries(texts));
    const inFolder = relative(folder, path).replaceAll(sep, "/");
    const listed = listedDirectories(competitions).find((one) => one.directory === inFolder);
    if (listed !== undefined) return { listed, errors: [] };
    errors.push(...competitions.flatMap(({ read }) => ("error" in read ? [read.error] : [])));
  }
  return { listed: null, errors };
}

/** Returns the YAML files of a folder by name, without those that are too large; empty if it cannot be read. */
function yamlTexts(folder: string): Record<string, string> {
  try {
    const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && isCompetitionPath(entry.name) ? [entry.name] : [],
    );
    const small = names.filter((name) => statSync(join(folder, name)).size <= MAX_PROBLEM_FILE_BYTES);
    return Object.fromEntries(small.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  } catch {
    return {};
  }
}
