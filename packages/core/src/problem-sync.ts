/** Bringing a server up to date with a tree of problem directories: what is sent, and what came or would come of it. */
import { z } from "zod";
import { Change } from "./problem-changes.ts";
import { MAX_PROBLEM_FILE_BYTES, TargetName } from "./problem-spec.ts";

/** Bounds of what is sent: the files that problems are made of, solutions and data left out. */
export const MAX_SYNC_FILES = 5000;
export const MAX_SYNC_BYTES = 32_000_000;

const Line = z.string().regex(/^[^\p{C}]+$/u, "use printable characters");

/** A path below the root of all problems, with `/` between its parts. */
const TreePath = z
  .string()
  .max(300)
  .refine(
    (path) => path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/[\0\\]/.test(part)),
    "use a path below the root of the problems",
  );

/** The files of a tree, by path; null stands for one that is no UTF-8 text, or is too large for a problem. */
export const ProblemTree = z
  .record(TreePath, z.string().max(MAX_PROBLEM_FILE_BYTES).nullable())
  .refine((files) => Object.keys(files).length <= MAX_SYNC_FILES, `send at most ${MAX_SYNC_FILES} files`);
export type ProblemTree = z.infer<typeof ProblemTree>;

/** Who may see a problem that is added: everyone, or only the members of its competition. */
export const ProblemVisibility = z.enum(["public", "closed"]);
export type ProblemVisibility = z.infer<typeof ProblemVisibility>;

export const SyncRequest = z.strictObject({
  /** Where the problems come from, the same each time: an address of git, or the name of a folder. */
  source: Line.max(500),
  /** Which state of it: a commit. */
  revision: Line.max(200).nullable().default(null),
  /** This set alone. */
  set: z.string().max(200).nullable().default(null),
  /** Of the new problems that no competition file names, and of those in new files without a visibility; null leaves it to the files. */
  visibility: ProblemVisibility.nullable().default(null),
  /** Answers what would change, and changes nothing. */
  dryRun: z.boolean().default(false),
  files: ProblemTree,
});
export type SyncRequest = z.infer<typeof SyncRequest>;

export const SYNC_OUTCOMES = ["new", "changed", "unchanged", "refused", "gone"] as const;
/** `gone`: it came from this source once, which has it no more; it stays as it is. */
const SyncOutcome = z.enum(SYNC_OUTCOMES);
export type SyncOutcome = z.infer<typeof SyncOutcome>;

/**
 * A board that shows another edition than before, since something changed that is judged or timed. It begins empty, or is one
 * that was shown before, where all of that is again as it was then. The others stay readable.
 */
export const EditionChange = z.object({ target: TargetName, edition: z.int().positive(), isNew: z.boolean() });
export type EditionChange = z.infer<typeof EditionChange>;

export const SyncedProblem = z.object({
  name: z.string(),
  /** Where it lies in the tree; null for one that is gone. */
  path: z.string().nullable(),
  outcome: SyncOutcome,
  /** Why it is refused. */
  why: z.string().nullable(),
  /** That which is in force then; null where there is none. */
  version: z.string().nullable(),
  changes: z.array(Change),
  targets: z.array(TargetName),
  editions: z.array(EditionChange),
});
export type SyncedProblem = z.infer<typeof SyncedProblem>;

export const SyncedCompetition = z.object({
  name: z.string(),
  /** At the root of the tree. */
  file: z.string(),
  outcome: SyncOutcome.exclude(["gone"]),
  why: z.string().nullable(),
  changes: z.array(Change),
});
export type SyncedCompetition = z.infer<typeof SyncedCompetition>;

export const SyncReport = z.object({
  source: z.string(),
  revision: z.string().nullable(),
  set: z.string().nullable(),
  /** Whether nothing was changed. */
  dryRun: z.boolean(),
  /** In order of name. */
  problems: z.array(SyncedProblem),
  competitions: z.array(SyncedCompetition),
});
export type SyncReport = z.infer<typeof SyncReport>;
