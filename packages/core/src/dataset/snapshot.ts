/** Snapshots: immutable files with the data of ended competitions at one moment. */
import { z } from "zod";
import { CompetitionName } from "../competition/competition.ts";

/** Path within a snapshot: relative, without `..` and without hidden names. */
export const SnapshotPath = z
  .string()
  .max(300)
  .regex(/^[a-zA-Z0-9_-][a-zA-Z0-9._-]*(\/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)*$/, "use a relative path");

export const SnapshotFile = z.object({
  path: SnapshotPath,
  sizeBytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Null if the file is not a table. */
  rows: z.number().int().nonnegative().nullable(),
});
export type SnapshotFile = z.infer<typeof SnapshotFile>;

/** Content of a snapshot's `dataset.json`. */
export const SnapshotManifest = z.object({
  format: z.literal("kernelbot-dataset-1"),
  id: z.number().int().positive(),
  createdAt: z.iso.datetime(),
  /** Time of the data: all rows were read in one transaction. */
  asOf: z.iso.datetime(),
  /**
   * True if some runs of its competitions were unfinished at that time; a later snapshot may have more rows and other
   * ranks.
   */
  provisional: z.boolean().default(false),
  /** URL of the server that created the snapshot; null if it has none. */
  source: z.string().nullable(),
  competitions: z.array(
    z.object({
      name: CompetitionName,
      title: z.string(),
      startedAt: z.iso.datetime(),
      endedAt: z.iso.datetime(),
      problems: z.array(z.string()),
      targets: z.array(z.string()),
      submissions: z.number().int(),
      runs: z.number().int(),
      users: z.number().int(),
      /** Number of submissions that are left out because they have no licence. */
      withheld: z.number().int(),
      /** Number of runs that were queued or running at that time. */
      unfinished: z.number().int().default(0),
      /** Number of submissions published under each licence. */
      licences: z.record(z.string(), z.number().int()),
    }),
  ),
  deduplication: z.string(),
  /** Submissions of an earlier snapshot that are missing here because they were removed or their account was banned. */
  withdrawn: z.array(z.number().int()),
  files: z.array(SnapshotFile),
});
export type SnapshotManifest = z.infer<typeof SnapshotManifest>;

export const SNAPSHOT_STATES = ["building", "ready", "failed"] as const;

export const PUBLICATION_DESTINATIONS = ["hugging_face", "object_store"] as const;
export const PublicationDestination = z.enum(PUBLICATION_DESTINATIONS);
export type PublicationDestination = z.infer<typeof PublicationDestination>;

/** Progress of publishing a snapshot at an external destination. */
export const Publication = z.object({
  destination: PublicationDestination,
  state: z.enum(["waiting", "uploading", "done", "failed"]),
  filesDone: z.number().int(),
  filesTotal: z.number().int(),
  bytesDone: z.number().int(),
  bytesTotal: z.number().int(),
  /** Public URL; null until done. */
  url: z.string().nullable(),
  /** Why publishing failed or is delayed; null otherwise. */
  message: z.string().nullable(),
});
export type Publication = z.infer<typeof Publication>;

export const Snapshot = z.object({
  id: z.number().int().positive(),
  state: z.enum(SNAPSHOT_STATES),
  /**
   * Whether runs of its competitions were unfinished when the snapshot was created; while it is building, whether they
   * may be.
   */
  provisional: z.boolean().default(false),
  competitions: z.array(CompetitionName),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  /** Number of rows written so far, and in total. */
  progress: z.object({ done: z.number().int(), total: z.number().int() }),
  /** Why building failed, or is delayed until a retry; null otherwise. */
  message: z.string().nullable(),
  /** Null until the snapshot is ready. */
  sizeBytes: z.number().int().nullable(),
  publications: z.array(Publication),
});
export type Snapshot = z.infer<typeof Snapshot>;

/** Snapshot with its files. */
export const SnapshotDetails = Snapshot.extend({ manifest: SnapshotManifest.nullable() });
export type SnapshotDetails = z.infer<typeof SnapshotDetails>;

/** Snapshots, newest first. */
export const SnapshotList = z.object({ snapshots: z.array(Snapshot) });

/** Competitions to include: a list of names, or all public competitions that have ended. */
export const SnapshotRequest = z.strictObject({
  competitions: z.union([z.literal("ended"), z.array(CompetitionName).min(1).max(1000)]),
  /**
   * Creates a snapshot although runs are unfinished. The snapshot is marked as provisional and is never returned for
   * `latest`.
   */
  provisional: z.boolean().default(false),
});
export type SnapshotRequest = z.input<typeof SnapshotRequest>;
