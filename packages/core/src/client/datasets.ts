/** Client of /api/v1/datasets. */
import { IDEMPOTENT, type Connection } from "./connection.ts";
import {
  Publication,
  Snapshot,
  SnapshotDetails,
  SnapshotList,
  type PublicationDestination,
  type SnapshotRequest,
} from "../dataset/snapshot.ts";

const AT = "/datasets";

export interface FilePart {
  /** Offset of the first byte. */
  from?: number | undefined;
  /** SHA-256 of the partially downloaded file; if the file has changed, the response contains all of it. */
  sha256?: string | undefined;
}

/** Creates the dataset part of the client. */
export function datasetsClient({ postJson, requestJson, streamBytes }: Connection) {
  return {
    /** Requests a snapshot; returns the one being built if it has the same competitions. For organisers. */
    request: (request: SnapshotRequest) => postJson(Snapshot, AT, request),
    /** Lists snapshots, newest first. */
    list: async () => (await requestJson(SnapshotList, AT)).snapshots,
    get: (id: number | "latest") => requestJson(SnapshotDetails, `${AT}/${id}`),
    /** Streams the bytes of a file. */
    file: (id: number | "latest", path: string, { from = 0, sha256 }: FilePart = {}) =>
      streamBytes(`${AT}/${id}/files/${path.split("/").map(encodeURIComponent).join("/")}`, {
        ...(from > 0 && { range: `bytes=${from}-` }),
        ...(from > 0 && sha256 !== undefined && { "if-range": `"${sha256}"` }),
      }),
    /** Publishes a snapshot at a place, or resumes the publication. For administrators. */
    publish: (id: number, place: PublicationDestination) =>
      requestJson(Publication, `${AT}/${id}/publications/${place}`, { method: "POST" }, IDEMPOTENT),
  };
}
