import {
  ImportBatch,
  ImportResult,
  Publication,
  PublicationDestination,
  Snapshot,
  SnapshotDetails,
  SnapshotList,
  SnapshotPath,
  SnapshotRequest,
} from "@kernelbot/core";
import { z } from "zod";
import { IMPORT_BODY } from "./body-limits.ts";
import { ADMINISTRATOR, ORGANISER, get, post } from "./contract.ts";
import { Id, wholeNumber } from "./parameters.ts";

/** Id of a snapshot. `latest` is the newest one that is ready, not provisional, and of listed competitions. */
const SnapshotId = z.union([z.literal("latest"), wholeNumber(1, Number.MAX_SAFE_INTEGER)]);

const One = z.object({ id: SnapshotId.describe("Snapshot number, or latest") });

export const datasets = {
  list: get("/datasets", {
    summary: "List snapshots; organisers also see those that are not ready",
    scope: null,
    answers: { 200: { description: "Snapshots, newest first", schema: SnapshotList } },
  }),

  get: get("/datasets/{id}", {
    summary: "Get a snapshot with its manifest",
    scope: null,
    params: One,
    answers: { 200: { description: "The snapshot", schema: SnapshotDetails } },
  }),

  file: get("/datasets/{id}/files/{path}", {
    summary: "Download a file of a snapshot, or a byte range of it",
    scope: null,
    params: One.extend({ path: SnapshotPath.describe("Path as in the manifest; may contain slashes") }),
    lastTakesSlashes: true,
    headers: z.object({
      range: z.string().optional().describe("One byte range, as bytes=FIRST-LAST"),
      "if-range": z
        .string()
        .optional()
        .describe("ETag for which the range is valid; otherwise the whole file is returned"),
    }),
    answers: {
      200: {
        description: "The whole file",
        schema: z.string(),
        mediaType: "application/octet-stream",
        headers: { ETag: "SHA-256 of the file", "Accept-Ranges": "bytes" },
      },
      206: { description: "The byte range", headers: { "Content-Range": "Range and size" } },
      304: { description: "Not modified since the ETag in If-None-Match" },
      416: { description: "Range not satisfiable" },
    },
  }),

  request: post("/datasets", {
    summary: "Request a snapshot of ended competitions",
    ...ORGANISER,
    body: SnapshotRequest,
    answers: {
      202: {
        description: "Snapshot requested, or already being built",
        schema: Snapshot,
        headers: { Location: "Path of the snapshot" },
      },
      409: { description: "A competition may not be exported, has not ended, or has unfinished runs" },
    },
  }),

  publish: post("/datasets/{id}/publications/{destination}", {
    summary: "Publish a snapshot to an external destination, or retry a failed publication",
    ...ADMINISTRATOR,
    params: Id.extend({ destination: PublicationDestination }),
    isIdempotent: true,
    answers: {
      202: { description: "Publication waiting, uploading or done", schema: Publication },
      409: { description: "The snapshot failed, its files were deleted, or a newer one is published there" },
    },
  }),

  import: post("/datasets/import", {
    summary: "Import a batch of rows of a competition that ended on another system (idempotent)",
    ...ADMINISTRATOR,
    body: ImportBatch,
    bodyLimit: IMPORT_BODY,
    isIdempotent: true,
    answers: {
      200: { description: "Imported now or by an earlier identical batch", schema: ImportResult },
      409: { description: "The competition or a problem exists and differs" },
    },
  }),
};
