/**
 * Competition files at the root of a tree of problems, and what they state about its directories. Every command and
 * endpoint that reads a problem directory applies them, so that it has the same name, targets and version everywhere.
 */
import { KernelBotError } from "../errors.ts";
import { readCompetitionSource, type CompetitionSource, type NamedDirectory } from "./source.ts";

/** Competition file at the root: its content, or the error in it. */
export interface FoundCompetition {
  file: string;
  read: CompetitionSource | { error: string };
}

/** Directory that a competition file lists. */
export interface ListedDirectory extends NamedDirectory {
  /** Name of the competition file. */
  file: string;
}

/** Whether a path relative to the root of the problems may be a competition file. */
export function isCompetitionPath(path: string): boolean {
  return /^[^/.][^/]*\.ya?ml$/.test(path);
}

/** Returns the name of a competition file without its extension. */
export function competitionStem(file: string): string {
  return file.replace(/\.ya?ml$/, "");
}

/**
 * Reads the competition files among the files of a tree, sorted by name. Other YAML files at the root are left out.
 * @param files Texts by path relative to the root; null for a file that is not UTF-8 text.
 */
export function findCompetitions(files: Readonly<Record<string, string | null>>): FoundCompetition[] {
  return Object.keys(files)
    .filter(isCompetitionPath)
    .toSorted()
    .flatMap((file) => findCompetition(file, files[file] ?? null) ?? []);
}

function findCompetition(file: string, text: string | null): FoundCompetition | null {
  try {
    if (text === null) throw new KernelBotError("unprocessable", "it is not UTF-8 text");
    const read = readCompetitionSource(competitionStem(file), text);
    return read === null ? null : { file, read };
  } catch (error) {
    if (error instanceof KernelBotError) return { file, read: { error: `${file}: ${error.message}` } };
    throw error;
  }
}

/** Returns the directories that competition files list. */
export function listedDirectories(competitions: readonly FoundCompetition[]): ListedDirectory[] {
  return competitions.flatMap(({ file, read }) =>
    "error" in read ? [] : read.directories.map((directory) => ({ ...directory, file })),
  );
}
