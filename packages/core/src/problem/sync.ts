/** Problem sync: request with a tree of problem directories, and report of what changed or would change. */
import { z } from "zod";
import { Change } from "./changes.ts";
import { MAX_PROBLEM_FILE_BYTES, TargetName } from "../vocabulary/specification.ts";

/** Limits of a sync request, which contains problem files only, without solutions and data. */
export const MAX_SYNC_FILES = 5000;
export const MAX_SYNC_BYTES = 32_000_000;

const Line = z.string().regex(/^[^\p{C}]+$/u, "use printable characters");

/** Path below the root of all problems, with `/` as separator. */
const TreePath = z
  .string()
  .max(300)
  .refine(
    (path) => path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/[\0\\]/.test(part)),
    "use a path below the root of the problems",
  );

/** Files of a tree, by path; null for a file that is not UTF-8 text or exceeds the size limit. */
export const ProblemTree = z
  .record(TreePath, z.string().max(MAX_PROBLEM_FILE_BYTES).nullable())
  .refine((files) => Object.keys(files).length <= MAX_SYNC_FILES, `send at most ${MAX_SYNC_FILES} files`);
export type ProblemTree = z.infer<typeof ProblemTree>;

/** Visibility of a new problem: to everyone, or only to the members of its competition. */
export const ProblemVisibility = z.enum(["public", "closed"]);
export type ProblemVisibility = z.infer<typeof ProblemVisibility>;

/** Text before the names of imported problems. */
export const ProblemPrefix = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "use lower-case letters, digits, - and _ (at most 40), such as amd-");

export const SyncRequest = z.strictObject({
  /** Origin of the problems, constant between syncs: a git URL or a folder name. */
  source: Line.max(500),
  /** Version of the source: a commit. */
  revision: Line.max(200).nullable().default(null),
  /** Only this problem set; null for all. */
  set: z.string().max(200).nullable().default(null),
  /**
   * Visibility of new problems that no competition file names, or whose new competition file states no visibility; null
   * applies what the files state.
   */
  visibility: ProblemVisibility.nullable().default(null),
  /** Precedes the name of each problem of the source; null for none. Competitions keep their names. */
  prefix: ProblemPrefix.nullable().default(null),
  /**
   * Replaces problems of the server's own folder that have the same names. If false, a request with such names is
   * rejected.
   */
  replace: z.boolean().default(false),
  /** Reports what would change, without changing anything. */
  dryRun: z.boolean().default(false),
  files: ProblemTree,
});
export type SyncRequest = z.infer<typeof SyncRequest>;

export const SYNC_OUTCOMES = ["new", "changed", "unchanged", "kept", "refused", "gone"] as const;
/**
 * `kept`: a new version would start a new revision of a board with entries, and the request did not force it. `gone`: the problem came from this source before and is no longer in it; it is kept unchanged.
 */
const SyncOutcome = z.enum(SYNC_OUTCOMES);
export type SyncOutcome = z.infer<typeof SyncOutcome>;

/**
 * Change of the revision that a board shows, because something changed that affects judging or timing. The revision is
 * new and empty, or an earlier one that matches the present state again. Other revisions stay readable.
 */
export const RevisionChange = z.object({ target: TargetName, revision: z.int().positive(), isNew: z.boolean() });
export type RevisionChange = z.infer<typeof RevisionChange>;

export const SyncedProblem = z.object({
  name: z.string(),
  /** Path of the problem in the tree; null if it is gone. */
  path: z.string().nullable(),
  outcome: SyncOutcome,
  /** Why the problem was refused or kept; null if it was not. */
  why: z.string().nullable(),
  /** Version in force after the sync; null if there is none. */
  version: z.string().nullable(),
  changes: z.array(Change),
  targets: z.array(TargetName),
  boardRevisions: z.array(RevisionChange),
  /** Values of `task.yml` that were read as YAML 1.1 because the problem has a harness of its own, with their lines. */
  yamlMeanings: z.array(z.string()),
});
export type SyncedProblem = z.infer<typeof SyncedProblem>;

export const SyncedCompetition = z.object({
  name: z.string(),
  /** Name of the file at the root of the tree. */
  file: z.string(),
  outcome: SyncOutcome.exclude(["gone", "kept"]),
  why: z.string().nullable(),
  changes: z.array(Change),
});
export type SyncedCompetition = z.infer<typeof SyncedCompetition>;

export const SyncReport = z.object({
  source: z.string(),
  revision: z.string().nullable(),
  set: z.string().nullable(),
  /** True if nothing was changed. */
  dryRun: z.boolean(),
  /** Sorted by name. */
  problems: z.array(SyncedProblem),
  competitions: z.array(SyncedCompetition),
});
export type SyncReport = z.infer<typeof SyncReport>;
