/** What a client asks of /api/v1/datasets. */
import type { Connection } from "../connection.ts";
import {
  Publication,
  Snapshot,
  SnapshotDetails,
  SnapshotList,
  type PublicationPlace,
  type SnapshotRequest,
} from "./snapshot.ts";

const AT = "/datasets";

export interface FilePart {
  /** From this byte on. */
  from?: number | undefined;
  /** The SHA-256 of the file that is meant; where it is another by now, all of it comes. */
  sha256?: string | undefined;
}

export function datasetsClient({ ask, post, stream }: Connection) {
  return {
    /** Has a snapshot made; the same while it is being made. For organisers. */
    request: (request: SnapshotRequest) => post(Snapshot, AT, request),
    /** The newest first. */
    list: async () => (await ask(SnapshotList, AT)).snapshots,
    get: (id: number | "latest") => ask(SnapshotDetails, `${AT}/${id}`),
    /** The bytes of a file as they come. */
    file: (id: number | "latest", path: string, { from = 0, sha256 }: FilePart = {}) =>
      stream(`${AT}/${id}/files/${path.split("/").map(encodeURIComponent).join("/")}`, {
        ...(from > 0 && { range: `bytes=${from}-` }),
        ...(from > 0 && sha256 !== undefined && { "if-range": `"${sha256}"` }),
      }),
    /** Publishes it at a place, or goes on with that. For administrators. */
    publish: (id: number, place: PublicationPlace) =>
      ask(Publication, `${AT}/${id}/publications/${place}`, { method: "POST" }),
  };
}
