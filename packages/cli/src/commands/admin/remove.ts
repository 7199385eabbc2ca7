import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command.ts";
import { connect } from "../../config.ts";
import { EXIT } from "../../exit.ts";
import { submissionId } from "../../id.ts";
import { printJson } from "../../outcome.ts";
import { terminalOf } from "../../terminal.ts";
import { needed, REASON_OPTION } from "./reason.ts";

export const command = defineCommand({
  name: "admin remove",
  about: "Takes any submission off its boards and out of sight of all but its owner and moderators.",
  positionals: ["ID"],
  options: { ...REASON_OPTION, ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ reason, json, server }, text) => {
    const id = submissionId(text);
    const why = needed(reason);
    const { client, pageOf } = await connect(server);
    const submission = await client.moderation.remove(id, why);
    if (json) printJson(pageOf(id), submission, [], false);
    else terminalOf(process.stdout).print([`Submission ${id} is removed.`]);
    return EXIT.passed;
  },
});
