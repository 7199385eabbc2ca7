/** API endpoints for dataset snapshots: request, list, read, and download files. */
import { api } from "@kernelbot/api";
import { SnapshotList } from "@kernelbot/core";
import { z } from "zod";
import { listSnapshots, readSnapshot, requestSnapshot, snapshotFile } from "../snapshots.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { sendFile } from "../../http/send-file.ts";

export const snapshotEndpoints = [
  endpoint(api.datasets.request, async ({ c, services, identity, body }) => {
    const snapshot = await requestSnapshot(services.database, identity, body);
    return c.json(snapshot, 202, { location: `/api/v1/datasets/${snapshot.id}` });
  }),

  endpoint(api.datasets.list, async ({ c, services }) => {
    const snapshots = await listSnapshots(services.database, await viewerOf(c, services));
    return c.json<z.infer<typeof SnapshotList>>({ snapshots });
  }),

  endpoint(api.datasets.get, async ({ c, services, params }) => {
    return c.json(await readSnapshot(services.database, await viewerOf(c, services), params.id));
  }),

  endpoint(api.datasets.file, async ({ c, services, params: { id, path } }) => {
    const { database, datasets } = services;
    const found = await snapshotFile(database, await viewerOf(c, services), datasets, id, path);
    return sendFile(c, found.file, found.path, { isImmutable: id !== "latest" });
  }),
];
