/** A place outside of the server where snapshots are published. */
import type { PublicationPlace, SnapshotFile, SnapshotManifest } from "@kernelbot/core";

/** A file of a snapshot, and where it lies on this machine. */
export interface LocalFile extends Omit<SnapshotFile, "rows"> {
  at: string;
}

export interface LocalSnapshot {
  manifest: SnapshotManifest;
  /** All of them, `dataset.json` too; each is as its hash says. */
  files: readonly LocalFile[];
  /** SHA-256 of files that earlier snapshots brought to the place, and that this one does not have. */
  gone: readonly string[];
}

/** What is done so far, of the files of a snapshot. */
export interface Progress {
  files: number;
  bytes: number;
}

export interface Place {
  readonly name: PublicationPlace;
  /** Whether what it gave as the address of an earlier snapshot still leads there. */
  readonly keepsEarlier: boolean;
  /**
   * Brings a snapshot there and makes it the newest one; what lies there of it already is not sent again. What only
   * earlier snapshots had is not in the newest one. The same call again, after it broke off anywhere, goes on.
   * @returns where it can be read.
   * @throws PlaceError where it cannot be brought there.
   */
  publish(snapshot: LocalSnapshot, told: (progress: Progress) => void, signal: AbortSignal): Promise<string>;
}

/** What is told where a server does not publish to a place. */
export const NOT_SET_UP: Record<PublicationPlace, string> = {
  hugging_face: "this server does not publish to Hugging Face: set KERNELBOT_HUGGING_FACE_TOKEN and _REPO",
  object_store: "this server has no object store",
};

/** Why a place did not take a snapshot. */
export class PlaceError extends Error {
  /** After which time another try may help, in milliseconds; null where somebody must do something first. */
  readonly waitMs: number | null;

  constructor(message: string, waitMs: number | null, options?: ErrorOptions) {
    super(message, options);
    this.name = "PlaceError";
    this.waitMs = waitMs;
  }
}
