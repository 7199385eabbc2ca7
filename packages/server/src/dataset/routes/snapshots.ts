/** API endpoints for dataset snapshots: request, list, read, and download files. */
import { Snapshot, SnapshotDetails, SnapshotList, SnapshotPath, SnapshotRequest } from "@kernelbot/core";
import { z } from "zod";
import { listSnapshots, readSnapshot, requestSnapshot, snapshotFile } from "../snapshots.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { wholeNumber } from "../../http/input.ts";
import { sendFile } from "./send-file.ts";

/** Id of a snapshot. `latest` is the newest one that is ready, not provisional, and of listed competitions. */
export const SnapshotId = z.union([z.literal("latest"), wholeNumber(1, Number.MAX_SAFE_INTEGER)]);
const One = z.object({ id: SnapshotId.describe("Snapshot number, or latest") });

export const snapshotEndpoints = [
  endpoint({
    method: "post",
    path: "/datasets",
    summary: "Request a snapshot of ended competitions",
    scope: "admin",
    role: "organiser",
    body: SnapshotRequest,
    answers: {
      202: {
        description: "Snapshot requested, or already being built",
        schema: Snapshot,
        headers: { Location: "Path of the snapshot" },
      },
      409: { description: "A competition may not be exported, has not ended, or has unfinished runs" },
    },
    async handle({ c, services, identity, body }) {
      const snapshot = await requestSnapshot(services.database, identity, body);
      return c.json(snapshot, 202, { location: `/api/v1/datasets/${snapshot.id}` });
    },
  }),

  endpoint({
    method: "get",
    path: "/datasets",
    summary: "List snapshots; organisers also see those that are not ready",
    scope: null,
    answers: { 200: { description: "Snapshots, newest first", schema: SnapshotList } },
    async handle({ c, services }) {
      const snapshots = await listSnapshots(services.database, await viewerOf(c, services));
      return c.json<z.infer<typeof SnapshotList>>({ snapshots });
    },
  }),

  endpoint({
    method: "get",
    path: "/datasets/{id}",
    summary: "Get a snapshot with its manifest",
    scope: null,
    params: One,
    answers: { 200: { description: "The snapshot", schema: SnapshotDetails } },
    async handle({ c, services, params }) {
      return c.json(await readSnapshot(services.database, await viewerOf(c, services), params.id));
    },
  }),

  endpoint({
    method: "get",
    path: "/datasets/{id}/files/{path}",
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
    async handle({ c, services, params: { id, path } }) {
      const { database, datasets } = services;
      const found = await snapshotFile(database, await viewerOf(c, services), datasets, id, path);
      return sendFile(c, found.file, found.path, { isImmutable: id !== "latest" });
    },
  }),
];
