import { defineRequest } from "../../request/request.ts";
import { uploadLines } from "../../render/lists.ts";

export const command = defineRequest({
  name: "problems uploads",
  notes: ["kernelbot evaluate --problem uploads a directory. The server deletes it some days after its last use."],
  request: async ({ client }) => ({ problems: await client.evaluations.uploadedProblems() }),
  lines: ({ problems }, { width, style }) => uploadLines(problems, width, style),
});
