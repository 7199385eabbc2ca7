/** Kernels that HEAD changes compared with a base, read from the git repository of the working directory. */
import { basename } from "node:path";
import { KernelBotError, languageOf, parseSource, requireDirectives } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { git, gitBytes } from "../git/git-checkout.ts";

export interface ChangedKernel {
  /** Path in the repository at HEAD. */
  path: string;
  fileName: string;
  base: string;
  head: string;
  /** Why it cannot be judged, such as a file larger than a submission; null if it can. */
  fault: string | null;
}

interface ChangeFilter {
  base: string;
  /** Git pathspecs; none for all files. */
  paths: readonly string[];
  /** Whether files without a directive that names a leaderboard count, too. */
  all: boolean;
}

/** @throws UsageError where the base is not in the checkout. */
export async function listChangedKernels({ base, paths, all }: ChangeFilter): Promise<ChangedKernel[]> {
  const commit = await commitOf(base);
  const filter = ["-z", "--name-status", "--find-renames", "--diff-filter=MR"];
  const listing = await run(["diff", ...filter, commit, "HEAD", "--", ...paths]);
  const kernels: ChangedKernel[] = [];
  for (const { before, after } of changedPaths(listing)) {
    if (languageOf(after) === null) continue;
    const bytes = { base: await contentOf(`${commit}:${before}`), head: await contentOf(`HEAD:${after}`) };
    if (!all && !namesBoard(bytes.head.toString())) continue;
    const kernel = { path: after, fileName: basename(after) };
    try {
      kernels.push({ ...kernel, base: parseSource(bytes.base), head: parseSource(bytes.head), fault: null });
    } catch (error) {
      if (!(error instanceof KernelBotError)) throw error;
      kernels.push({ ...kernel, base: "", head: "", fault: error.message });
    }
  }
  return kernels;
}

/** Maximum size of a changed file that is read, much larger than a submission. */
const MAX_FILE_BYTES = 256e6;

const contentOf = (object: string) =>
  gitBytes(["cat-file", "blob", object], new AbortController().signal, MAX_FILE_BYTES);

/** Whether a directive names a leaderboard, or one is invalid: judging the file then reports why. */
function namesBoard(source: string): boolean {
  try {
    return requireDirectives(source).board !== undefined;
  } catch {
    return true;
  }
}

async function commitOf(base: string): Promise<string> {
  try {
    return (await run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${base}^{commit}`])).trim();
  } catch (error) {
    throw new UsageError(
      `--base: the commit ${JSON.stringify(base)} is not in this checkout; with actions/checkout, set fetch-depth: 2`,
      { cause: error },
    );
  }
}

/** Parses the output of `git diff -z --name-status`: M PATH, or R100 BEFORE AFTER, each field ended by NUL. */
function* changedPaths(listing: string): Generator<{ before: string; after: string }> {
  const fields = listing.split("\0").filter((field) => field !== "");
  while (fields.length > 0) {
    const status = fields.shift() ?? "";
    const before = fields.shift() ?? "";
    yield { before, after: status.startsWith("R") ? (fields.shift() ?? "") : before };
  }
}

const run = (args: readonly string[]) => git(args, new AbortController().signal);
