/** Problems that an account uploads for its own evaluations, instead of adding them to the server. */
import { z } from "zod";
import { ProblemName, TargetName } from "../vocabulary/specification.ts";
import { ProblemTree } from "../problem/sync.ts";

const UPLOADED = /^sha256:([0-9a-f]{64})$/;

/** Name of a problem of the server, or `sha256:` and the version of a problem that the account has uploaded. */
export const ProblemReference = z
  .string()
  .refine(
    (text) => UPLOADED.test(text) || ProblemName.safeParse(text).success,
    "use the name of a problem (lower-case letters, digits, - and _, at most 95), or sha256:HASH of an uploaded problem",
  );

/** Returns the reference of an uploaded problem; the same as the SQL function problem_reference. */
export function uploadedProblem(version: string): string {
  return `sha256:${version}`;
}

/** Returns the version of an uploaded problem; null for the name of a problem of the server. */
export function uploadedVersion(reference: string): string | null {
  return UPLOADED.exec(reference)?.[1] ?? null;
}

/** Limits of the problems that an account has uploaded and that have not been deleted yet. */
export const MAX_UPLOADED_PROBLEMS = 2000;
export const MAX_UPLOADED_BYTES = 100_000_000;

export const ProblemUpload = z.strictObject({
  files: ProblemTree.describe(
    "Files by path: those of one directory with a `task.yml`, and the files outside of it that the problem shares with others",
  ),
});
export type ProblemUpload = z.infer<typeof ProblemUpload>;

export const UploadedProblem = z.object({
  /** What evaluations name as their problem: `sha256:` and the hash of the problem's parameters and files. */
  problem: ProblemReference,
  /** Name of the directory. */
  name: ProblemName,
  targets: z.array(TargetName),
  /** Size that counts against the limit of the account, in bytes. */
  sizeBytes: z.int().positive(),
  /** When it was last uploaded or evaluated, to the hour. */
  usedAt: z.iso.datetime(),
  /** Number of its queued and running evaluations. */
  openEvaluations: z.int().nonnegative(),
});
export type UploadedProblem = z.infer<typeof UploadedProblem>;

export const UploadedProblemList = z.object({ problems: z.array(UploadedProblem) });
