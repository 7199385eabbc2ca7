import { defineRequest } from "../../request/request.ts";
import { progressWords } from "../../render/entries.ts";
import { entryId } from "../../kernelbench/id.ts";

export const command = defineRequest({
  name: "kernelbench stop",
  positionals: ["ID"],
  notes: ["Cancels unfinished kernels and keeps finished results. kernelbot kernelbench resume queues them again."],
  request: ({ client }, _, text) => client.kernelbench.stop(entryId(text)),
  lines: ({ id, progress }) => [
    `Entry ${id} is stopped: ${progressWords(progress)}. To resume: kernelbot kernelbench resume ${id}`,
  ],
});
