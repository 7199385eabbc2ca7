import { defineRequest } from "../../request/request.ts";
import { snapshotsLines } from "../../render/snapshots.ts";

export const command = defineRequest({
  name: "dataset list",
  request: async ({ client }) => ({ snapshots: await client.datasets.list() }),
  lines: ({ snapshots }, { width, style }) => snapshotsLines(snapshots, width, style),
});
