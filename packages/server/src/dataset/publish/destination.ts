/** Interface of the destinations to which snapshots are published. */
import type { PublicationDestination, SnapshotFile, SnapshotManifest } from "@kernelbot/core";

/** File of a snapshot; `at` is its path on the local disk. */
export interface LocalFile extends Omit<SnapshotFile, "rows"> {
  at: string;
}

export interface LocalSnapshot {
  manifest: SnapshotManifest;
  /** All files including `dataset.json`, with verified hashes. */
  files: readonly LocalFile[];
  /** SHA-256 of files that earlier snapshots stored at the destination and this one does not contain. */
  gone: readonly string[];
}

/** Number of uploaded files and bytes. */
export interface Progress {
  files: number;
  bytes: number;
}

export interface Destination {
  readonly name: PublicationDestination;
  /** Whether the URLs of earlier snapshots remain valid. */
  readonly keepsEarlier: boolean;
  /**
   * Uploads a snapshot and makes it the newest one. Files that exist there are not sent again, and files that
   * only earlier snapshots had are removed from the newest one. Idempotent: an interrupted call is resumed by calling
   * it again.
   * @returns the URL of the snapshot.
   * @throws PublicationError when the upload fails.
   */
  publish(snapshot: LocalSnapshot, onProgress: (progress: Progress) => void, signal: AbortSignal): Promise<string>;
}

/** Error messages for destinations that are not configured. */
export const NOT_SET_UP: Record<PublicationDestination, string> = {
  hugging_face:
    "this server does not publish to Hugging Face; set KERNELBOT_HUGGING_FACE_TOKEN and KERNELBOT_HUGGING_FACE_REPO",
  object_store: "this server has no object store",
};
