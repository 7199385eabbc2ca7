/** Snapshots: the data of ended competitions at one moment, as files that never change. */
import { z } from "zod";
import { CompetitionName } from "../competition.ts";

/** A path inside a snapshot: no step up, no root, no hidden name. */
export const SnapshotPath = z
  .string()
  .max(300)
  .regex(/^[a-zA-Z0-9_-][a-zA-Z0-9._-]*(\/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)*$/, "use a relative path");

export const SnapshotFile = z.object({
  path: SnapshotPath,
  sizeBytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Null where it is not a table. */
  rows: z.number().int().nonnegative().nullable(),
});
export type SnapshotFile = z.infer<typeof SnapshotFile>;

/** What `dataset.json` of a snapshot says. */
export const SnapshotManifest = z.object({
  format: z.literal("kernelbot-dataset-1"),
  id: z.number().int().positive(),
  createdAt: z.iso.datetime(),
  /** The state of the data that it shows: all rows are of one transaction. */
  asOf: z.iso.datetime(),
  /** Whether runs of its competitions were unfinished at that moment: a later snapshot has more rows, and may have other places. */
  provisional: z.boolean().default(false),
  /** The address of the server that made it, where it has one. */
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
      /** Submissions that stay out for want of a licence. */
      withheld: z.number().int(),
      /** Runs that were queued or running at that moment. */
      unfinished: z.number().int().default(0),
      /** How many submissions are published under each licence. */
      licences: z.record(z.string(), z.number().int()),
    }),
  ),
  deduplication: z.string(),
  /** Submissions that an earlier snapshot had and this one has not, since they were removed or their account was banned. */
  withdrawn: z.array(z.number().int()),
  files: z.array(SnapshotFile),
});
export type SnapshotManifest = z.infer<typeof SnapshotManifest>;

export const SNAPSHOT_STATES = ["building", "ready", "failed"] as const;

export const PUBLICATION_PLACES = ["hugging_face", "object_store"] as const;
export const PublicationPlace = z.enum(PUBLICATION_PLACES);
export type PublicationPlace = z.infer<typeof PublicationPlace>;

/** How far a snapshot is on its way to a place outside. */
export const Publication = z.object({
  place: PublicationPlace,
  state: z.enum(["waiting", "uploading", "done", "failed"]),
  filesDone: z.number().int(),
  filesTotal: z.number().int(),
  bytesDone: z.number().int(),
  bytesTotal: z.number().int(),
  /** Where it can be read, once it is done. */
  url: z.string().nullable(),
  /** Why it failed, or what it waits for. */
  message: z.string().nullable(),
});
export type Publication = z.infer<typeof Publication>;

export const Snapshot = z.object({
  id: z.number().int().positive(),
  state: z.enum(SNAPSHOT_STATES),
  /** Whether runs of its competitions were unfinished when it was made; of one that is being made, whether they may be. */
  provisional: z.boolean().default(false),
  competitions: z.array(CompetitionName),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  /** Rows written so far, and how many there will be. */
  progress: z.object({ done: z.number().int(), total: z.number().int() }),
  /** Why it failed. */
  message: z.string().nullable(),
  /** Null until it is ready. */
  sizeBytes: z.number().int().nullable(),
  publications: z.array(Publication),
});
export type Snapshot = z.infer<typeof Snapshot>;

/** A snapshot with its files. */
export const SnapshotDetails = Snapshot.extend({ manifest: SnapshotManifest.nullable() });
export type SnapshotDetails = z.infer<typeof SnapshotDetails>;

/** The newest first. */
export const SnapshotList = z.object({ snapshots: z.array(Snapshot) });

/** Which competitions to take: those named, or all public ones that have ended. */
export const SnapshotRequest = z.strictObject({
  competitions: z.union([z.literal("ended"), z.array(CompetitionName).min(1).max(1000)]),
  /** Makes one though runs are unfinished. It is marked, and never the newest one of those who ask for `latest`. */
  provisional: z.boolean().default(false),
});
export type SnapshotRequest = z.input<typeof SnapshotRequest>;
