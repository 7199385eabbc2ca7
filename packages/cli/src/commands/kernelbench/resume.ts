import { defineRequest } from "../../request/request.ts";
import { progressWords } from "../../render/entries.ts";
import { entryId } from "../../kernelbench/id.ts";

export const command = defineRequest({
  name: "kernelbench resume",
  positionals: ["ID"],
  request: ({ client }, _, text) => client.kernelbench.resume(entryId(text)),
  lines: ({ id, progress }) => [
    `Entry ${id} is resumed: ${progressWords(progress)}. To watch it: kernelbot kernelbench watch ${id}`,
  ],
});
