import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { confirmed } from "../command/confirmation.ts";
import { EXIT } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { printJson } from "../submission/results.ts";
import { terminalOf } from "../output/terminal.ts";

export const command = defineCommand({
  name: "delete",
  about: "Takes a submission of yours off its boards and out of sight, while they are open.",
  positionals: ["ID"],
  options: {
    yes: { type: "boolean", short: "y", help: "Do not ask; only a moderator can put it back" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["What has not ended of it is cancelled. It still counts against your limits."],
  run: async ({ yes, json, server }, text) => {
    const id = submissionId(text);
    const { client, pageOf } = await connect(server);
    if (!yes) await confirmed(`Delete submission ${id}?`, "only a moderator can put back what was deleted");
    const submission = await client.remove(id);
    if (json) printJson(pageOf(id), submission, [], false);
    else terminalOf(process.stdout).print([`Submission ${id} is on no board any more.`]);
    return EXIT.passed;
  },
});
