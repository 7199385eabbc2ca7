import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { printJson } from "../submission/results.ts";
import { runStatus } from "../render/format.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize } from "../output/text.ts";

export const command = defineCommand({
  name: "cancel",
  positionals: ["ID"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["Results of runs that have finished are kept."],
  run: async ({ json, server }, text) => {
    const id = submissionId(text);
    const { client, pageOf } = await connect(server);
    const submission = await client.cancel(id);
    if (json) printJson(pageOf(id), submission, [], false);
    else {
      const { print, style } = terminalOf(process.stdout);
      const runs = sanitize(submission.runs).map((run) => `${run.target} ${runStatus(run, style)}`);
      print([`Submission ${id}: ${runs.join(", ")}`]);
    }
    return EXIT.passed;
  },
});
