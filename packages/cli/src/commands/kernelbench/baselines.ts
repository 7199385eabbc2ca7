import { defineRequest } from "../../request/request.ts";
import { table } from "../../render/table.ts";

export const command = defineRequest({
  name: "kernelbench baselines",
  request: async ({ client }) => ({ baselines: await client.kernelbench.baselines() }),
  lines: ({ baselines }, { width, style }) => {
    if (baselines.length === 0) return ["This server has no stored baselines."];
    const columns = [
      { title: "id" },
      { title: "models" },
      { title: "problems", side: "right" },
      { title: "hardware", shrinks: true },
    ] as const;
    const rows = baselines.map(({ id, kind, problemCount, hardware }) => [id, kind, String(problemCount), hardware]);
    return table(columns, rows, width, style);
  },
});
