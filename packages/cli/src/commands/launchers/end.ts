import { defineRequest } from "../../request/request.ts";

export const command = defineRequest({
  name: "launchers end",
  positionals: ["LAUNCH"],
  notes: [
    "Its runner stops claiming runs, and the launcher terminates the machine. Its current run is requeued. If runs are " +
      "queued for the target, another runner is launched.",
  ],
  request: ({ client }, _, name) => client.endLaunch(name),
  lines: ({ name }) => [`Ending launch ${name}.`],
});
