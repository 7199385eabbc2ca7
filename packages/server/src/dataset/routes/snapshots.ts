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
const One = z.object({ id: SnapshotId.describe("Its number, or latest") });

export const snapshotEndpoints = [
  endpoint({
    method: "post",
    path: "/datasets",
    summary: "Have a snapshot made of the data of competitions that have ended",
    scope: "admin",
    role: "organiser",
    body: SnapshotRequest,
    answers: {
      202: {
        description: "It will be made, or is being made already",
        schema: Snapshot,
        headers: { Location: "Its address" },
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
    summary: "The snapshots of the data; organisers see those too that are not ready",
    scope: null,
    answers: { 200: { description: "The newest first", schema: SnapshotList } },
    async handle({ c, services }) {
      const snapshots = await listSnapshots(services.database, await viewerOf(c, services));
      return c.json<z.infer<typeof SnapshotList>>({ snapshots });
    },
  }),

  endpoint({
    method: "get",
    path: "/datasets/{id}",
    summary: "A snapshot with its manifest",
    scope: null,
    params: One,
    answers: { 200: { description: "As it stands now", schema: SnapshotDetails } },
    async handle({ c, services, params }) {
      return c.json(await readSnapshot(services.database, await viewerOf(c, services), params.id));
    },
  }),

  endpoint({
    method: "get",
    path: "/datasets/{id}/files/{path}",
    summary: "A file of a snapshot, or a part of it",
    scope: null,
    params: One.extend({ path: SnapshotPath.describe("As the manifest names it; it may have slashes in it") }),
    lastTakesSlashes: true,
    headers: z.object({
      range: z.string().optional().describe("One part, as bytes=FIRST-LAST"),
      "if-range": z.string().optional().describe("The tag of the version whose part is wanted; of another, all comes"),
    }),
    answers: {
      200: {
        description: "Its bytes",
        schema: z.string(),
        mediaType: "application/octet-stream",
        headers: { ETag: "Its SHA-256", "Accept-Ranges": "bytes" },
      },
      206: { description: "The part", headers: { "Content-Range": "Which part it is" } },
      304: { description: "It is as it was under the tag in If-None-Match" },
      416: { description: "It has no such part" },
    },
    async handle({ c, services, params: { id, path } }) {
      const { database, datasets } = services;
      const found = await snapshotFile(database, await viewerOf(c, services), datasets, id, path);
      return sendFile(c, found.file, found.path, { isImmutable: id !== "latest" });
    },
  }),
];
