/** Client of /api/v1/datasets. */
import type { PublicationDestination, SnapshotRequest } from "@kernelbot/core";
import { api } from "../api.ts";
import type { Connection } from "./connection.ts";

export interface FilePart {
  /** Offset of the first byte. */
  from?: number | undefined;
  /** SHA-256 of the partially downloaded file; if the file has changed, the response contains all of it. */
  sha256?: string | undefined;
}

/** Creates the dataset part of the client. */
export function datasetsClient({ request, streamBytes }: Connection) {
  return {
    /** Requests a snapshot; returns the one being built if it has the same competitions. For organisers. */
    request: (body: SnapshotRequest) => request(api.datasets.request, { body }),
    /** Lists snapshots, newest first. */
    list: async () => (await request(api.datasets.list, {})).snapshots,
    get: (id: number | "latest") => request(api.datasets.get, { params: { id } }),
    /** Streams the bytes of a file. */
    file: (id: number | "latest", path: string, { from = 0, sha256 }: FilePart = {}) =>
      streamBytes(
        api.datasets.file,
        { params: { id, path } },
        {
          ...(from > 0 && { range: `bytes=${from}-` }),
          ...(from > 0 && sha256 !== undefined && { "if-range": `"${sha256}"` }),
        },
      ),
    /** Publishes a snapshot at a destination, or resumes the publication. For administrators. */
    publish: (id: number, destination: PublicationDestination) =>
      request(api.datasets.publish, { params: { id, destination } }),
  };
}
