import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command.ts";
import { connect } from "../../config.ts";
import { EXIT } from "../../exit.ts";
import { submissionId } from "../../id.ts";
import { printJson } from "../../outcome.ts";
import { terminalOf } from "../../terminal.ts";
import { needed, REASON_OPTION } from "./reason.ts";

export const command = defineCommand({
  name: "admin restore",
  about: "Puts a removed submission back on its boards.",
  positionals: ["ID"],
  options: { ...REASON_OPTION, ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ reason, json, server }, text) => {
    const id = submissionId(text);
    const why = needed(reason);
    const { client, pageOf } = await connect(server);
    const submission = await client.moderation.restore(id, why);
    if (json) printJson(pageOf(id), submission, [], false);
    else terminalOf(process.stdout).print([`Submission ${id} is back.`]);
    return EXIT.passed;
  },
});
